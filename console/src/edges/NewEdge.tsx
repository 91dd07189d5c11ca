import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { type ApiToken, createToken } from '../api-tokens/queries.ts';
import { LiveLine } from '../connect/LiveLine.tsx';
import { Snippets } from '../connect/Snippets.tsx';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { MultiSelect } from '../ui/Choices.tsx';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { Secret } from '../ui/Secret.tsx';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import s from './edges.module.css';
import { toRowId } from './enrolments.ts';
import { edgesQuery } from './queries.ts';
import { buildStartCommands } from './start.ts';

const SHOWN_FIELDS = ['tokenName', 'environment', 'projects'];
const REFRESH_MS = 2_000;
const ALL_PROJECTS = '*';

/** The panel that enrols an edge. The enrolment is shown only once, because it is a secret. */
export function NewEdge({ onClose }: { onClose(): void }) {
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const {
    draft,
    edit,
    submit,
    result: createdToken,
    error,
    isPending,
    unsaved,
  } = useCreation({
    draftKey: 'new-edge',
    empty: { name: '', environment: 'production', projects: [] as string[] },
    send: ({ name, environment, projects }) =>
      createToken(undefined, {
        tokenName: name.trim(),
        type: 'edge',
        environment,
        projects: projects.length === 0 ? [ALL_PROJECTS] : projects,
      }),
  });
  const messages = messagesByField(error);
  if (createdToken) return <CreatedEnrolment token={createdToken} />;
  return (
    <PanelForm
      title="New edge"
      action="Create enrolment"
      pending={isPending}
      problems={findNameProblems(draft.name)}
      messages={messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className={s.words}>
        An edge is a process that you run near your applications. It starts with an enrolment, a secret that
        you get in the next step. Edges that serve the same flags can share an enrolment.
      </p>
      <TextInput
        label="Name"
        description="For example, where the edge runs."
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
        description="An edge serves one environment."
        value={draft.environment}
        error={messages.environment}
        data={[...new Set([...environments.map(({ name }) => name), draft.environment])]}
        onChange={event => edit({ environment: event.target.value })}
      />
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
        onChange={projectIds => edit({ projects: projectIds })}
      />
    </PanelForm>
  );
}

/** Shows the enrolment, the commands that start the edge, and whether the edge has started. */
function CreatedEnrolment({ token }: { token: ApiToken }) {
  const { leave } = useFilters();
  const { data: edges } = useQuery({ ...edgesQuery, refetchInterval: REFRESH_MS });
  const edge = edges?.find(({ tokenId }) => tokenId === token.id);
  const enrolment = token.enrolment ?? token.secret;
  return (
    <Secret
      title={`Enrolment of ${token.tokenName}`}
      secret={enrolment}
      label="Copy enrolment"
      use={
        <>
          <h3 className={s.start}>Start the edge</h3>
          <Snippets
            label="Ways to start the edge"
            snippets={buildStartCommands(enrolment, location.origin)}
          />
          {edge ? (
            <LiveLine state="connected" note={`version ${edge.version}`}>
              <b>{token.tokenName}</b> is connected
            </LiveLine>
          ) : (
            <LiveLine
              state="waiting"
              note="This line turns green when the edge connects. You can close the dialog before then."
            >
              Waiting for the edge…
            </LiveLine>
          )}
        </>
      }
      onStored={() => leave({ edit: undefined, edge: edge?.id ?? toRowId(token.id) })}
    >
      The enrolment is a secret. Copy it now, because Halyard cannot show it again.
    </Secret>
  );
}
