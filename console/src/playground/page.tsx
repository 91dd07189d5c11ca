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
import { FIELDS, formOf, type PlaygroundForm, requestOf, rowsOfForm, searchOf } from './form.ts';
import { playgroundQuery } from './queries.ts';
import { Results } from './Results.tsx';

/** Paths of fields that show their own message. */
const OWN_FIELDS = FIELDS.map(({ name }) => `/body/contexts/0/${name}`);

/** Evaluates flags for contexts and explains the results. The URL contains what was evaluated, so it can be shared. */
export function PlaygroundPage() {
  const { data: projects } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const href = useRouterState({ select: ({ location }) => location.href });
  return (
    <Page title="Playground" note="Results as SDKs have them" actions={<CopyLink path={href} />}>
      {projects && environments ? (
        <Playground projects={projects} environments={environments.environments} />
      ) : (
        <Skeleton />
      )}
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
  const evaluated = formOf(search);
  const [form, setForm] = useState<PlaygroundForm>(() => ({
    ...evaluated,
    environments:
      evaluated.environments.length > 0
        ? evaluated.environments
        : environments.slice(0, 1).map(({ name }) => name),
  }));
  const { data, error, isFetching, refetch } = useQuery(playgroundQuery(requestOf(evaluated)));
  const isRejected = error instanceof RequestError && [400, 413].includes(error.status);
  const { problem } = rowsOfForm(form);

  return (
    <FormAndEffect
      onSubmit={() => {
        const next = searchOf(form);
        if (JSON.stringify(next) === JSON.stringify(searchOf(evaluated))) void refetch();
        else void navigate({ to: '/playground', search: next });
      }}
      form={
        <>
          <FormErrors messages={isRejected ? messagesOf(error) : []} />
          <Form
            form={form}
            projects={projects}
            environments={environments}
            errors={isRejected ? messagesByField(error) : {}}
            problem={problem}
            onChange={change => setForm(before => ({ ...before, ...change }))}
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
        <Results features={data} environments={evaluated.environments} rows={rowsOfForm(evaluated).rows} />
      )}
      {!data && isFetching && <Skeleton rows={6} height={36} />}
      {!data && error && !isRejected && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !isFetching && !error && (
        <p className="muted">
          Choose environments and a context, and evaluate them. Each flag shows its result and the reason.
        </p>
      )}
      {!data && isRejected && <p className="muted">The server rejected the request.</p>}
    </FormAndEffect>
  );
}

/** Messages without a field. One about a context of the table names its row. */
function messagesOf(error: RequestError): string[] {
  if (error.details.length === 0) return [error.message];
  return error.details
    .filter(({ path }) => path !== '/body/features/0' && !OWN_FIELDS.includes(path ?? ''))
    .map(({ path, message }) => {
      const at = path?.match(/^\/body\/contexts\/(\d+)\//)?.[1];
      return at === undefined ? message : `Row ${Number(at) + 1}: ${message}`;
    });
}
