import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { findIdProblem, suggestId } from './id.ts';
import { listModeOptions, MODE_NAMES, MODES } from './modes.ts';
import { compileRule, findPatternProblem } from './naming.ts';
import { createProject, listQuery, type Project } from './queries.ts';

const SHOWN_FIELDS = ['id', 'name', 'description', 'mode', 'featureNaming.pattern'];

/** An example name, which shows users whether their naming rule is as strict as intended. */
const EXAMPLE = 'new-checkout';

/** `typedId` is undefined until the user types an id. Until then, the id follows the name. */
type Draft = {
  name: string;
  typedId?: string;
  mode: Project['mode'];
  description: string;
  pattern: string;
};

/** The panel that creates a project. The id is checked while the user types. */
export function NewProject({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const activeProjects = useQuery(listQuery(false)).data?.projects ?? [];
  const archivedProjects = useQuery(listQuery(true)).data?.projects ?? [];
  const { draft, change, forget } = useDraft<Draft>('new-project', {
    name: '',
    mode: 'open',
    description: '',
    pattern: '',
  });
  const { name, typedId, mode, description, pattern } = draft;
  const id = typedId ?? suggestId(name);
  const idProblem = findIdProblem(
    id,
    [...activeProjects, ...archivedProjects].map(project => project.id),
  );
  const problems = findNameProblems(name);
  if (id === '' && problems.length === 0) problems.push('Enter an ID.');
  if (idProblem !== undefined) problems.push('Change the ID.');
  const rule = pattern === '' ? undefined : compileRule(pattern);
  const patternProblem = findPatternProblem(pattern);
  if (patternProblem !== undefined) problems.push('Change the naming rule.');
  const create = useMutation({
    mutationFn: () =>
      createProject({
        id,
        name: name.trim(),
        mode,
        ...(description ? { description } : {}),
        ...(pattern ? { featureNaming: { pattern } } : {}),
      }),
    onSuccess: async () => {
      forget();
      await navigate({ to: '/projects/$projectId', params: { projectId: id }, ignoreBlocker: true });
    },
  });
  const messages = messagesByField(create.error);
  const unsaved = useUnsaved(
    [name, typedId ?? '', description, pattern].some(text => text.trim() !== ''),
    forget,
  );
  return (
    <PanelForm
      title="New project"
      action="Create project"
      pending={create.isPending}
      problems={problems}
      messages={messagesWithoutField(create.error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={name}
        error={messages.name}
        onChange={event => {
          change({ name: event.target.value });
          create.reset();
        }}
      />
      <TextInput
        label="ID"
        description={
          id === '' ? (
            'Used in URLs and the API. It cannot be changed later.'
          ) : (
            <>
              The project opens at <span className="mono">/projects/{id}</span>. The id cannot be changed
              later.
            </>
          )
        }
        classNames={{ input: 'mono' }}
        required
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        value={id}
        error={messages.id ?? idProblem}
        onChange={event => {
          change({ typedId: event.target.value.trim() });
          create.reset();
        }}
      />
      <NativeSelect
        label="Mode"
        description={MODES[mode].description}
        value={mode}
        error={messages.mode}
        data={listModeOptions(mode)}
        onChange={event => change({ mode: MODE_NAMES.find(value => value === event.target.value) ?? 'open' })}
      />
      <TextInput
        label="Naming rule"
        description={
          rule === undefined
            ? 'Optional: a regular expression in RE2 syntax that the names of new flags must match, such as pay\\..+'
            : `${rule.test(EXAMPLE) ? 'Allows' : 'Rejects'} ${EXAMPLE}.`
        }
        classNames={{ input: 'mono' }}
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        value={pattern}
        error={messages['featureNaming.pattern'] ?? patternProblem}
        onChange={event => {
          change({ pattern: event.target.value });
          create.reset();
        }}
      />
      <Textarea
        label="Description"
        rows={3}
        maxLength={4000}
        value={description}
        error={messages.description}
        onChange={event => change({ description: event.target.value })}
      />
    </PanelForm>
  );
}
