import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { MultiSelect } from '../ui/Choices.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import type { Draft } from './draft.ts';
import { LastValidDay } from './LastValidDay.tsx';

const SHOWN_FIELDS = ['tokenName', 'type', 'environment', 'projects', 'expiresAt'];
const TYPES: Record<Draft['type'], string> = {
  backend: 'For servers. SDKs get the complete flags, including the users in their constraints.',
  frontend:
    'For browsers and mobile apps. Anyone can see the token, but it only returns results for one user.',
};

/** Edits the fields of a new API token. */
export function TokenForm({
  draft,
  error,
  project,
  onChange,
}: {
  draft: Draft;
  error: unknown;
  project: string | undefined;
  onChange(part: Partial<Draft>): void;
}) {
  const messages = messagesByField(error);
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  return (
    <>
      <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
      <TextInput
        label="Name"
        description="The application that uses it. Create a token for each application."
        placeholder="checkout service"
        required
        maxLength={255}
        autoComplete="off"
        autoFocus
        value={draft.name}
        error={messages.tokenName}
        onChange={event => onChange({ name: event.target.value })}
      />
      <NativeSelect
        label="Type"
        description={TYPES[draft.type]}
        value={draft.type}
        error={messages.type}
        data={[
          { value: 'backend', label: 'Backend' },
          { value: 'frontend', label: 'Frontend' },
        ]}
        onChange={event => onChange({ type: event.target.value === 'frontend' ? 'frontend' : 'backend' })}
      />
      <NativeSelect
        label="Environment"
        value={draft.environment}
        error={messages.environment}
        data={[...new Set([...environments.map(({ name }) => name), draft.environment])]}
        onChange={event => onChange({ environment: event.target.value })}
      />
      {project === undefined && (
        <MultiSelect
          label="Projects"
          placeholder={draft.projects.length === 0 ? 'All projects' : ''}
          value={draft.projects}
          data={toProjectOptions(projects)}
          error={messages.projects}
          searchable
          hidePickedOptions
          maxValues={500}
          limit={200}
          onChange={chosen => onChange({ projects: chosen })}
        />
      )}
      <LastValidDay
        value={draft.expires}
        error={messages.expiresAt}
        onChange={expires => onChange({ expires })}
      />
    </>
  );
}
