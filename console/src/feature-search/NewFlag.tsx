import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { projectsQuery } from '../shell/queries.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { createFlag, typesQuery } from './queries.ts';
import s from './search.module.css';

const FIELDS = ['name', 'type', 'description'];

/** Whether a name follows the rule of its project. A pattern that this browser cannot read is left to the server. */
export function followsRule(pattern: string | undefined, name: string): boolean {
  if (!pattern || name === '') return true;
  try {
    return new RegExp(`^(?:${pattern})$`).test(name);
  } catch {
    return true;
  }
}

/** The panel that creates a flag. The project's rule for names is checked while typing. */
export function NewFlag({ projectId, onClose }: { projectId?: string; onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery).data ?? [];
  const types = useQuery(typesQuery).data?.types ?? [];
  const [chosen, choose] = useState(projectId);
  const project = projects.find(one => one.id === chosen) ?? projects[0];
  const [name, setName] = useState('');
  const [type, setType] = useState('release');
  const [description, setDescription] = useState('');
  const rule = project?.featureNaming;
  const isValid = followsRule(rule?.pattern, name);
  const create = useMutation({
    mutationFn: () => createFlag(project?.id ?? '', { name, type, ...(description ? { description } : {}) }),
    onSuccess: async flag => {
      await client.invalidateQueries({ queryKey: ['flags'] });
      await navigate({
        to: '/projects/$projectId/features/$featureName',
        params: { projectId: flag.project, featureName: flag.name },
      });
    },
  });
  const messages = messagesByField(create.error);
  return (
    <SidePanel title="New flag" onClose={onClose}>
      <form
        className={s.form}
        onSubmit={event => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <FormErrors messages={otherMessages(create.error, FIELDS)} />
        {projectId === undefined && (
          <NativeSelect
            label="Project"
            value={project?.id}
            data={projects.map(one => ({ value: one.id, label: one.name }))}
            onChange={event => choose(event.target.value)}
          />
        )}
        <TextInput
          label="Name"
          classNames={{ input: 'mono' }}
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={name}
          error={messages.name ?? (!isValid && 'This name breaks the naming rule of the project.')}
          onChange={event => {
            setName(event.target.value);
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
          onChange={event => setType(event.target.value)}
        />
        <Textarea
          label="Description"
          rows={3}
          value={description}
          error={messages.description}
          onChange={event => setDescription(event.target.value)}
        />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="filled"
            loading={create.isPending}
            disabled={name === '' || !isValid || !project}
          >
            Create flag
          </Button>
        </footer>
      </form>
    </SidePanel>
  );
}
