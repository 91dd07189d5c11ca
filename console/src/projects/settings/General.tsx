import { Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../../api/errors.ts';
import { useMissingPermissions } from '../../api/me.ts';
import { contextQuery } from '../../features/queries.ts';
import { Conflict } from '../../ui/Conflict.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { FormErrors } from '../../ui/Failure.tsx';
import { FormAndEffect } from '../../ui/FormAndEffect.tsx';
import { LastChange } from '../../ui/LastChange.tsx';
import { findChange } from '../../ui/last-change.ts';
import { RailSection } from '../../ui/RailSection.tsx';
import { SaveBar } from '../../ui/SaveBar.tsx';
import { toast } from '../../ui/toasts.ts';
import { useEditor } from '../../ui/useEditor.tsx';
import type { Version } from '../../ui/versions.ts';
import { formatCount } from '../../ui/words.ts';
import { listModeOptions, MODE_NAMES, MODES } from '../modes.ts';
import type { ProjectDetails } from '../queries.ts';
import { Effects } from './Effects.tsx';
import { SettingsPage } from './Frame.tsx';
import { readProject, updateProject } from './queries.ts';
import s from './settings.module.css';
import { buildProjectSubject } from './subjects.ts';

export function GeneralPage() {
  return (
    <SettingsPage>
      {(project, etag) => (
        <General key={project.id} project={project} savedVersion={{ draft: toDraft(project), etag }} />
      )}
    </SettingsPage>
  );
}

type Draft = Pick<ProjectDetails, 'name' | 'description' | 'mode' | 'defaultStickiness'>;
const SHOWN_FIELDS = ['name', 'description', 'mode', 'defaultStickiness'];

const toDraft = ({ name, description, mode, defaultStickiness }: ProjectDetails): Draft => ({
  name,
  description,
  mode,
  defaultStickiness,
});

function General({ project, savedVersion }: { project: ProjectDetails; savedVersion: Version<Draft> }) {
  const client = useQueryClient();
  const { id } = project;
  const missingPermissions = useMissingPermissions('updateProject', { project: id });
  const read = async () => {
    const newest = await readProject(client, id);
    return { draft: toDraft(newest.project), etag: newest.etag };
  };
  const { draft, base, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `project:${id}`,
    current: savedVersion,
    read,
    save: (sent, etag) => updateProject(id, { ...sent, name: sent.name.trim() }, etag),
    findChange: () => findChange(buildProjectSubject(id)),
    onSaved: async () => {
      toast({ message: 'Settings saved.' });
      return await read();
    },
  });
  const fields = useQuery(contextQuery).data ?? [];
  const stickinessFields = new Set([
    'default',
    'random',
    ...fields
      .filter(field => field.stickiness && (field.project === null || field.project === id))
      .map(field => field.name),
    draft.defaultStickiness,
  ]);
  const isReadOnly = missingPermissions.length > 0;
  const messages = messagesByField(error);
  return (
    <FormAndEffect
      as="page"
      title="Effect"
      onSubmit={() => changes.length > 0 && !isReadOnly && editor.save()}
      form={
        conflict ? (
          <div className={s.fields}>
            <h2>General</h2>
            <Conflict noun="project" {...conflict} />
          </div>
        ) : (
          <div className={s.fields}>
            <h2>General</h2>
            <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
            <TextInput
              label="Name"
              required
              maxLength={255}
              autoComplete="off"
              readOnly={isReadOnly}
              value={draft.name}
              error={messages.name ?? (draft.name.trim() === '' && 'Enter a name.')}
              onChange={event => change({ name: event.target.value })}
            />
            <Input.Wrapper
              label="ID"
              labelElement="div"
              description="Used in URLs and the API. It cannot be changed later."
            >
              <span className={s.id}>
                <code className="mono">{id}</code>
                <CopyButton text={id} label="Copy ID" />
              </span>
            </Input.Wrapper>
            <Textarea
              label="Description"
              rows={3}
              maxLength={4000}
              readOnly={isReadOnly}
              value={draft.description}
              error={messages.description}
              onChange={event => change({ description: event.target.value })}
            />
            <NativeSelect
              label="Mode"
              description={MODES[draft.mode].description}
              disabled={isReadOnly}
              value={draft.mode}
              error={messages.mode}
              data={listModeOptions(base.mode, draft.mode)}
              onChange={event =>
                change({ mode: MODE_NAMES.find(value => value === event.target.value) ?? draft.mode })
              }
            />
            <NativeSelect
              label="Default stickiness"
              description="The context field whose value keeps a user in or out of a gradual rollout."
              disabled={isReadOnly}
              value={draft.defaultStickiness}
              error={messages.defaultStickiness}
              data={[...stickinessFields]}
              onChange={event => change({ defaultStickiness: event.target.value })}
            />
          </div>
        )
      }
      bar={
        <>
          {!conflict && (changes.length > 0 || isReadOnly) && (
            <SaveBar
              changes={changes}
              action="Save"
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={isReadOnly || draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )}
          {confirmation}
        </>
      }
    >
      <RailSection title="Saving affects">
        <Effects
          emptyText="Nothing that SDKs receive."
          effects={[
            draft.mode !== base.mode && {
              title: 'Who can read the project',
              aside: MODES[draft.mode].label,
              text: describeReaders(draft.mode, base.mode, project.members),
            },
            draft.defaultStickiness !== base.defaultStickiness && {
              title: 'New strategies',
              text: (
                <>
                  Start with <b className="mono">{draft.defaultStickiness}</b>. Existing strategies keep their
                  stickiness.
                </>
              ),
            },
            draft.name.trim() !== base.name && {
              title: 'Name',
              text: 'Lists and menus show the new name. URLs and tokens keep the id.',
            },
          ]}
        />
      </RailSection>
      <LastChange subject={buildProjectSubject(id)} />
    </FormAndEffect>
  );
}

function describeReaders(mode: Draft['mode'], modeBefore: Draft['mode'], members: number): string {
  if (mode === 'private')
    return `Only the ${formatCount(members, 'member')} and admins can still see the project. Others get "not found", even in the event log.`;
  if (modeBefore === 'private')
    return 'Every user of this instance can read the project, its flags and its events.';
  return 'The same users as before. Both modes behave the same way.';
}
