import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messagesByField, messagesWithoutField, RequestError } from '../api/errors.ts';
import { followsRule } from '../projects/naming.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { readLastProject } from '../ui/preferences.ts';
import { findNameProblems } from '../ui/problems.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { formatNumber } from '../ui/words.ts';
import s from './new-flag.module.css';
import { createFlag, typesQuery } from './queries.ts';

const MAX_NAME_LENGTH = 100;
const SHOWN_FIELDS = ['name', 'type', 'description'];

/** Returns the message for a name that is taken, with "flag" instead of the API's word "feature". */
const nameTakenMessage = (error: unknown): string | undefined =>
  error instanceof RequestError && error.kind === 'NameExistsError'
    ? error.message.replace(/^Feature\b/, 'Flag').replace(/\bfeature\b/g, 'flag')
    : undefined;

/** The panel that creates a flag. It checks the project's naming rule while the user types. */
export function NewFlag({ projectId, onClose }: { projectId?: string; onClose(): void }) {
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery).data ?? [];
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const types = useQuery(typesQuery).data?.types ?? [];
  const { draft, change, forget } = useDraft(`new-flag:${projectId ?? ''}`, {
    chosen: projectId ?? readLastProject(),
    name: '',
    type: 'release',
    description: '',
  });
  const { name, type, description } = draft;
  // A project page always uses its own project, which may be missing from `projects` while that list is loading or outdated.
  const project =
    projects.find(({ id }) => id === draft.chosen) ??
    (projectId === undefined ? projects[0] : { id: projectId, featureNaming: undefined, environments: [] });
  const projectEnvironments: readonly string[] = project?.environments ?? [];
  const firstEnvironment = environments.find(
    environment => environment.type !== 'production' && projectEnvironments.includes(environment.name),
  )?.name;
  const rule = project?.featureNaming;
  const { length } = name.trim();
  const isValid = followsRule(rule?.pattern, name.trim());
  const problems = findNameProblems(name);
  if (length > MAX_NAME_LENGTH) problems.push('Shorten the name.');
  if (!isValid) problems.push('Change the name to match the naming rule.');
  if (project === undefined) problems.push('Choose a project.');
  const create = useMutation({
    mutationFn: () =>
      createFlag(project?.id ?? '', { name: name.trim(), type, ...(description ? { description } : {}) }),
    onSuccess: async () => {
      forget();
      await navigate({
        to: '/projects/$projectId/features/$featureName',
        params: { projectId: project?.id ?? '', featureName: name.trim() },
        // A new flag is usually first enabled outside production.
        search: { environment: firstEnvironment },
        ignoreBlocker: true,
      });
    },
  });
  const takenMessage = nameTakenMessage(create.error);
  const messages = messagesByField(create.error);
  useShortcuts([
    {
      keys: 'mod+s',
      description: 'Create flag',
      run: () => problems.length === 0 && !create.isPending && create.mutate(),
    },
  ]);
  const unsaved = useUnsaved(name.trim() !== '' || description.trim() !== '', forget);
  return (
    <PanelForm
      title="New flag"
      action="Create flag"
      pending={create.isPending}
      problems={problems}
      messages={takenMessage === undefined ? messagesWithoutField(create.error, SHOWN_FIELDS) : []}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      {projectId === undefined && (
        <NativeSelect
          label="Project"
          value={project?.id}
          data={toProjectOptions(projects)}
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
          takenMessage ??
          messages.name ??
          (length > MAX_NAME_LENGTH
            ? `A name can have at most ${MAX_NAME_LENGTH} characters. This one has ${formatNumber(length)}.`
            : !isValid && "This name does not match the project's naming rule.")
        }
        onChange={event => {
          change({ name: event.target.value });
          create.reset();
        }}
      />
      {rule?.pattern && (
        <p className={s.rule} data-broken={isValid ? undefined : ''}>
          {rule.description ?? 'Names in this project must match'} <code>{rule.pattern}</code>
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
        description={types.find(({ id }) => id === type)?.description}
        data={types.map(({ id, name: label }) => ({ value: id, label }))}
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
