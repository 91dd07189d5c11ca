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
import { findNameProblems } from '../ui/problems.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import s from './context-fields.module.css';
import { announceField } from './created-field.ts';
import { type Draft, emptyDraft, toBody, toDraft } from './draft.ts';
import { FieldForm } from './FieldForm.tsx';
import { findSegmentsWithIllegalValues } from './illegal.ts';
import {
  buildSubject,
  type ContextField,
  createField,
  deleteField,
  fieldQuery,
  updateField,
  usesQuery,
} from './queries.ts';

const crumbs = <Link to="/admin/context-fields">Context fields</Link>;

/** Creates a context field for all projects, or for one project. */
export function NewContextFieldPage() {
  const navigate = useNavigate();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-context-field',
    empty: emptyDraft,
    send: sentDraft => createField(sentDraft.project, { name: sentDraft.name, ...toBody(sentDraft) }),
    onSent: async ({ name }) => {
      announceField(name);
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
          problems: findNameProblems(draft.name),
          cancel: '/admin/context-fields',
        }}
      >
        <RailSection title="Affected flags">
          <p className={s.words}>None until a constraint uses the field.</p>
        </RailSection>
      </FormAndEffect>
      {unsaved.confirmation}
    </Page>
  );
}

/** Shows a context field with its legal values and the strategies whose constraints use it. */
export function ContextFieldPage() {
  const { contextField = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(fieldQuery(contextField));
  if (data)
    return (
      <Editor
        key={contextField}
        field={data.field}
        current={{ draft: toDraft(data.field), etag: data.etag }}
      />
    );
  return (
    <Page title="Context field" crumbs={crumbs}>
      <Loading queries={[{ error, refetch }]} />
    </Page>
  );
}

function Editor({ field, current }: { field: ContextField; current: Version<Draft> }) {
  const client = useQueryClient();
  const { name, project } = field;
  const missingPermissions = useMissingPermissions(
    project === null ? 'updateContextField' : 'updateProjectContextField',
    project === null ? {} : { project },
  );
  const readLatest = async () => {
    const latest = await client.fetchQuery({ ...fieldQuery(name), staleTime: 0 });
    return { draft: toDraft(latest.field), etag: latest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `context-field:${name}`,
    current,
    read: readLatest,
    save: (sentDraft, etag) => updateField(field, toBody(sentDraft), etag),
    findChange: () => findChange(buildSubject(name)),
    onSaved: async () => {
      toast({ message: `Saved ${name}.` });
      return await readLatest();
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
                disabled={editor.isPending || missingPermissions.length > 0}
                onChange={change}
              />
              <Deletion field={field} uses={uses?.length} />
            </>
          }
          bar={
            (changes.length > 0 || missingPermissions.length > 0) && (
              <SaveBar
                changes={changes}
                missingPermissions={missingPermissions}
                pending={editor.isPending}
                disabled={missingPermissions.length > 0}
                onSave={editor.save}
                onDiscard={editor.discard}
              />
            )
          }
        >
          <IllegalValues field={field} draft={draft} />
          <StrategyUses uses={uses} empty="No constraint uses it." />
          <LastChange subject={buildSubject(name)} />
        </FormAndEffect>
      )}
      {confirmation}
    </Page>
  );
}

/** Lists segments whose constraints use illegal values. */
function IllegalValues({ field, draft }: { field: ContextField; draft: Draft }) {
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const affectedSegments = findSegmentsWithIllegalValues(segments, field.name, draft.legalValues);
  if (affectedSegments.length === 0) return null;
  return (
    <RailSection title="Illegal values" count={affectedSegments.length} noun="segment">
      <ul className={s.illegal}>
        {affectedSegments.map(({ id, name, values }) => (
          <li key={id}>
            <Link to="/admin/segments/$segmentId" params={{ segmentId: String(id) }} className="mono">
              {name}
            </Link>{' '}
            uses <span className="mono">{values.join(', ')}</span>
          </li>
        ))}
      </ul>
      <p className={s.words}>
        SDKs still evaluate these values, but you cannot save the segment again with them.
      </p>
    </RailSection>
  );
}

function Deletion({ field, uses }: { field: ContextField; uses: number | undefined }) {
  const navigate = useNavigate();
  const { name, project } = field;
  const remove = async () => {
    await deleteField(field);
    await navigate({ to: '/admin/context-fields', ignoreBlocker: true });
    toast({ message: `Deleted ${name}.` });
  };
  return (
    <DangerZone>
      <DangerAction
        title="Delete this context field"
        action="Delete context field"
        call={project === null ? 'deleteContextField' : 'deleteProjectContextField'}
        {...(project !== null && { project })}
        {...(uses && { nameToType: name })}
        onConfirm={remove}
      >
        {uses
          ? `${formatCount(uses, 'strategy', 'strategies')} keep their constraints on it. Its legal values will be lost.`
          : 'No constraint uses it. Its legal values will be lost.'}
      </DangerAction>
    </DangerZone>
  );
}
