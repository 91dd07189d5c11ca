import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { Secret } from '../ui/Secret.tsx';
import { useCreation } from '../ui/useCreation.ts';
import { enrolEdge } from './queries.ts';

const FIELDS = ['tokenName', 'environment', 'projects'];

/** The panel that enrols an edge. The server shows the enrolment once. */
export function NewEdge({ onClose }: { onClose(): void }) {
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const {
    draft,
    edit,
    submit,
    result: created,
    error,
    isPending,
    unsaved,
  } = useCreation({
    thing: 'new-edge',
    empty: { name: '', environment: 'production', project: '*' },
    send: ({ name, environment, project }) => enrolEdge(name, environment, project),
  });
  const messages = messagesByField(error);
  if (created)
    return (
      <Secret
        title={`Enrolment of ${created.tokenName}`}
        secret={created.enrolment ?? created.secret}
        label="Copy enrolment"
        onStored={onClose}
      >
        Start the edge with this string in HALYARD_EDGE_ENROLMENT. Copy it now. Halyard does not show it
        again.
      </Secret>
    );
  return (
    <PanelForm
      title="New edge"
      action="Create enrolment"
      pending={isPending}
      disabled={draft.name.trim() === ''}
      messages={otherMessages(error, FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Where the edge runs. Edges with the same flags can share one enrolment."
        placeholder="Frankfurt"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={messages.tokenName}
        onChange={event => edit({ name: event.target.value })}
      />
      <NativeSelect
        label="Environment"
        value={draft.environment}
        error={messages.environment}
        data={[...new Set([...environments.map(({ name }) => name), draft.environment])]}
        onChange={event => edit({ environment: event.target.value })}
      />
      <NativeSelect
        label="Projects"
        value={draft.project}
        error={messages.projects}
        data={[
          { value: '*', label: 'All projects' },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={event => edit({ project: event.target.value })}
      />
    </PanelForm>
  );
}
