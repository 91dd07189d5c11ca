import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { messagesByField, RequestError } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { CopyLink } from '../ui/Copy.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Form } from './Form.tsx';
import { buildPlaygroundRequest, FIELDS, listRows, type PlaygroundForm, readForm, toSearch } from './form.ts';
import { playgroundQuery } from './queries.ts';
import { Results } from './Results.tsx';

/** The paths of fields that show their own messages. */
const STANDARD_FIELD_PATHS = FIELDS.map(({ name }) => `/body/contexts/0/${name}`);

/** Evaluates flags for contexts and explains the results. The URL contains the evaluated form, so it can be shared. */
export function PlaygroundPage() {
  const projects = useQuery(projectsQuery);
  const environments = useQuery(environmentsQuery);
  const failedQuery = [projects, environments].find(({ data, error }) => error && !data);
  const href = useRouterState({ select: ({ location }) => location.href });
  return (
    <Page title="Playground" note="The results that SDKs get" actions={<CopyLink path={href} />}>
      {projects.data && environments.data && (
        <Playground projects={projects.data} environments={environments.data.environments} />
      )}
      {failedQuery?.error && <Failure error={failedQuery.error} onRetry={() => void failedQuery.refetch()} />}
      {!failedQuery && !(projects.data && environments.data) && <Skeleton />}
    </Page>
  );
}

function Playground({
  projects,
  environments,
}: {
  projects: readonly { id: string; name: string }[];
  environments: readonly { name: string }[];
}) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  const evaluatedForm = readForm(search);
  const [form, setForm] = useState<PlaygroundForm>(() => ({
    ...evaluatedForm,
    environments:
      evaluatedForm.environments.length > 0
        ? evaluatedForm.environments
        : environments.slice(0, 1).map(({ name }) => name),
  }));
  const { data, error, isFetching, refetch } = useQuery(
    playgroundQuery(buildPlaygroundRequest(evaluatedForm)),
  );
  const isRejected = error instanceof RequestError && [400, 413].includes(error.status);
  const { problem } = listRows(form);

  return (
    <FormAndEffect
      onSubmit={() => {
        const newSearch = toSearch(form);
        if (JSON.stringify(newSearch) === JSON.stringify(toSearch(evaluatedForm))) void refetch();
        else void navigate({ to: '/playground', search: newSearch });
      }}
      form={
        <>
          <FormErrors messages={isRejected ? listMessages(error) : []} />
          <Form
            form={form}
            projects={projects}
            environments={environments}
            errors={isRejected ? messagesByField(error) : {}}
            problem={problem}
            onChange={change => setForm(current => ({ ...current, ...change }))}
          />
        </>
      }
      actions={
        <>
          <Button
            type="submit"
            variant="filled"
            loading={isFetching}
            disabled={problem !== undefined || form.environments.length === 0}
          >
            Evaluate
          </Button>
          <span className="muted">Nothing is saved.</span>
        </>
      }
      title="Results"
      isBusy={isFetching}
    >
      {data && (
        <Results
          features={data}
          environments={evaluatedForm.environments}
          rows={listRows(evaluatedForm).rows}
        />
      )}
      {!data && isFetching && <Skeleton rows={6} height={36} />}
      {!data && error && !isRejected && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !isFetching && !error && (
        <p className="muted">
          Choose environments and a context, then evaluate. Each flag shows its result and the reason.
        </p>
      )}
      {!data && isRejected && <p className="muted">The server rejected the request.</p>}
    </FormAndEffect>
  );
}

/** Returns the messages that no field shows. A message about a context in the table names its row. */
function listMessages(error: RequestError): string[] {
  if (error.details.length === 0) return [error.message];
  return error.details
    .filter(({ path }) => path !== '/body/features/0' && !STANDARD_FIELD_PATHS.includes(path ?? ''))
    .map(({ path, message }) => {
      const rowIndex = path?.match(/^\/body\/contexts\/(\d+)\//)?.[1];
      return rowIndex === undefined ? message : `Row ${Number(rowIndex) + 1}: ${message}`;
    });
}
