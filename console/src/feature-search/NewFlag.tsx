import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messagesByField, otherMessages, RequestError } from '../api/errors.ts';
import { followsRule } from '../projects/naming.ts';
import { projectsQuery } from '../shell/queries.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { lastProject } from '../ui/preferences.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { formatNumber } from '../ui/words.ts';
import { createFlag, typesQuery } from './queries.ts';
import s from './search.module.css';

const MAX_NAME = 100;
const FIELDS = ['name', 'type', 'description'];

/** The message for a name that is taken. The API says "feature", the console says "flag". */
const takenName = (error: unknown): string | undefined =>
  error instanceof RequestError && error.kind === 'NameExistsError'
    ? error.message.replace(/^Feature\b/, 'Flag').replace(/\bfeature\b/g, 'flag')
    : undefined;

/** The panel that creates a flag. The project's rule for names is checked while typing. */
export function NewFlag({ projectId, onClose }: { projectId?: string; onClose(): void }) {
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery).data ?? [];
  const types = useQuery(typesQuery).data?.types ?? [];
  const { draft, change, forget } = useDraft(`new-flag:${projectId ?? ''}`, {
    chosen: projectId ?? lastProject(),
    name: '',
    type: 'release',
    description: '',
  });
  const { name, type, description } = draft;
  const project = projects.find(one => one.id === draft.chosen) ?? projects[0];
  const rule = project?.featureNaming;
  const { length } = name.trim();
  const isValid = followsRule(rule?.pattern, name.trim());
  const canCreate = length > 0 && length <= MAX_NAME && isValid && project !== undefined;
  const create = useMutation({
    mutationFn: () =>
      createFlag(project?.id ?? '', { name: name.trim(), type, ...(description ? { description } : {}) }),
    onSuccess: async () => {
      forget();
      await navigate({
        to: '/projects/$projectId/features/$featureName',
        params: { projectId: project?.id ?? '', featureName: name.trim() },
        ignoreBlocker: true,
      });
    },
  });
  const taken = takenName(create.error);
  const messages = messagesByField(create.error);
  useShortcuts([
    {
      keys: 'mod+s',
      description: 'Create flag',
      run: () => canCreate && !create.isPending && create.mutate(),
    },
  ]);
  const unsaved = useUnsaved(name.trim() !== '' || description.trim() !== '', forget);
  return (
    <PanelForm
      title="New flag"
      action="Create flag"
      pending={create.isPending}
      disabled={!canCreate}
      messages={taken === undefined ? otherMessages(create.error, FIELDS) : []}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      {projectId === undefined && (
        <NativeSelect
          label="Project"
          value={project?.id}
          data={projects.map(one => ({ value: one.id, label: one.name }))}
          onChange={event => change({ chosen: event.target.value })}
        />
      )}
      <TextInput
        label="Name"
        classNames={{ input: 'mono' }}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        error={
          taken ??
          messages.name ??
          (length > MAX_NAME
            ? `A name has at most ${MAX_NAME} characters. This one has ${formatNumber(length)}.`
            : !isValid && "This name does not match the project's naming rule.")
        }
        onChange={event => {
          change({ name: event.target.value });
          create.reset();
        }}
      />
      {rule?.pattern && (
        <p className={s.rule} data-broken={isValid ? undefined : ''}>
          {rule.description ?? 'Names in this project match'} <code>{rule.pattern}</code>
          {rule.example && (
            <>
              , such as <code>{rule.example}</code>
            </>
          )}
        </p>
      )}
      <NativeSelect
        label="Type"
        value={type}
        error={messages.type}
        description={types.find(one => one.id === type)?.description}
        data={types.map(one => ({ value: one.id, label: one.name }))}
        onChange={event => change({ type: event.target.value })}
      />
      <Textarea
        label="Description"
        rows={3}
        value={description}
        error={messages.description}
        onChange={event => change({ description: event.target.value })}
      />
    </PanelForm>
  );
}
