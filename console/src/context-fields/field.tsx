import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMissingPermissions } from '../api/me.ts';
import { segmentsQuery } from '../features/queries.ts';
import { StrategyUses } from '../segments/StrategyUses.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { counted } from '../ui/words.ts';
import s from './context-fields.module.css';
import { bodyOf, type Draft, draftOf, emptyDraft } from './draft.ts';
import { FieldForm } from './FieldForm.tsx';
import { illegalValues } from './illegal.ts';
import {
  type ContextField,
  createField,
  deleteField,
  fieldQuery,
  subjectOf,
  updateField,
  usesQuery,
} from './queries.ts';

const crumbs = <Link to="/admin/context-fields">Context fields</Link>;

/** Creates a context field of the instance, or of one project. */
export function NewContextFieldPage() {
  const navigate = useNavigate();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    thing: 'new-context-field',
    empty: emptyDraft,
    send: sent => createField(sent.project, { name: sent.name, ...bodyOf(sent) }),
    onSent: async ({ name }) => {
      toast({ message: `Created ${name}.` });
      await navigate({
        to: '/admin/context-fields/$contextField',
        params: { contextField: name },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <Page title="New context field" crumbs={crumbs}>
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={submit}
        form={<FieldForm draft={draft} isNew error={error} disabled={isPending} onChange={edit} />}
        creation={{
          action: 'Create context field',
          call: draft.project === '' ? 'createContextField' : 'createProjectContextField',
          project: draft.project,
          pending: isPending,
          disabled: draft.name === '',
          cancel: '/admin/context-fields',
        }}
      >
        <RailSection title="Creating affects">
          <p className={s.words}>No flag, until a constraint uses the field.</p>
        </RailSection>
      </FormAndEffect>
      {unsaved.question}
    </Page>
  );
}

/** A context field: its legal values, and where constraints use it. */
export function ContextFieldPage() {
  const { contextField = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(fieldQuery(contextField));
  if (data)
    return (
      <Editor
        key={contextField}
        field={data.field}
        current={{ draft: draftOf(data.field), etag: data.etag }}
      />
    );
  return (
    <Page title="Context field" crumbs={crumbs}>
      <Loading of={[{ error, refetch }]} />
    </Page>
  );
}

function Editor({ field, current }: { field: ContextField; current: Version<Draft> }) {
  const client = useQueryClient();
  const { name, project } = field;
  const missing = useMissingPermissions(
    project === null ? 'updateContextField' : 'updateProjectContextField',
    project === null ? {} : { project },
  );
  const read = async () => {
    const now = await client.fetchQuery({ ...fieldQuery(name), staleTime: 0 });
    return { draft: draftOf(now.field), etag: now.etag };
  };
  const { draft, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `context-field:${name}`,
    current,
    read,
    save: (sent, etag) => updateField(field, bodyOf(sent), etag),
    findChange: () => findChange(subjectOf(name)),
    onSaved: async () => {
      toast({ message: `Saved ${name}.` });
      return await read();
    },
  });
  const uses = useQuery(usesQuery(name)).data;
  return (
    <Page title={<span className="mono">{name}</span>} name={name} crumbs={crumbs}>
      {conflict ? (
        <div className={s.conflict}>
          <h2 className="sr">Conflict</h2>
          <Conflict noun="context field" {...conflict} />
        </div>
      ) : (
        <FormAndEffect
          as="page"
          title="Effect"
          onSubmit={editor.save}
          form={
            <>
              <FieldForm
                draft={draft}
                isNew={false}
                error={error}
                disabled={editor.isPending || missing.length > 0}
                onChange={change}
              />
              <Deletion field={field} uses={uses?.length} />
            </>
          }
          bar={
            (changes.length > 0 || missing.length > 0) && (
              <SaveBar
                changes={changes}
                missing={missing}
                pending={editor.isPending}
                disabled={missing.length > 0}
                onSave={editor.save}
                onDiscard={editor.discard}
              />
            )
          }
        >
          <Illegal field={field} draft={draft} />
          <StrategyUses uses={uses} empty="No constraint uses it." />
          <LastChange subject={subjectOf(name)} />
        </FormAndEffect>
      )}
      {question}
    </Page>
  );
}

/** Segments whose constraints use values that are not legal. Saving them again would be rejected. */
function Illegal({ field, draft }: { field: ContextField; draft: Draft }) {
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const found = illegalValues(segments, field.name, draft.legalValues);
  if (found.length === 0) return null;
  return (
    <RailSection title="Values that are not legal" count={found.length} noun="segment">
      <ul className={s.illegal}>
        {found.map(({ id, name, values }) => (
          <li key={id}>
            <Link to="/admin/segments/$segmentId" params={{ segmentId: String(id) }} className="mono">
              {name}
            </Link>{' '}
            uses <span className="mono">{values.join(', ')}</span>
          </li>
        ))}
      </ul>
      <p className={s.words}>SDKs still evaluate these values. The next save of the segment is rejected.</p>
    </RailSection>
  );
}

function Deletion({ field, uses }: { field: ContextField; uses: number | undefined }) {
  const navigate = useNavigate();
  const { name, project } = field;
  const remove = async () => {
    await deleteField(field);
    await navigate({ to: '/admin/context-fields', ignoreBlocker: true });
    toast({ message: `${name} is deleted.` });
  };
  return (
    <DangerZone>
      <DangerAction
        title="Delete this context field"
        action="Delete context field"
        call={project === null ? 'deleteContextField' : 'deleteProjectContextField'}
        {...(project !== null && { project })}
        {...(uses && { typed: name })}
        onConfirm={remove}
      >
        {uses
          ? `${counted(uses, 'strategy', 'strategies')} keep their constraints on it. The legal values are lost.`
          : 'No constraint uses it. The legal values are lost.'}
      </DangerAction>
    </DangerZone>
  );
}
