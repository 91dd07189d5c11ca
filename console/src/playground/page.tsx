import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { messagesByField, otherMessages, RequestError } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Form } from './Form.tsx';
import { FIELDS, formOf, type PlaygroundForm, requestOf, searchOf } from './form.ts';
import { playgroundQuery } from './queries.ts';
import { Results } from './Results.tsx';

const CONTEXT_FIELDS = FIELDS.map(({ name }) => `context.${name}`);

/** Evaluates flags for a context and explains the results. The address has the evaluated context. */
export function PlaygroundPage() {
  const { data: projects } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  return (
    <Page title="Playground" note="Results as SDKs have them">
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
    environment: evaluated.environment || (environments[0]?.name ?? ''),
  }));
  const { data, error, isFetching, refetch } = useQuery(playgroundQuery(requestOf(evaluated)));
  const isRejected = error instanceof RequestError && [400, 413].includes(error.status);

  return (
    <FormAndEffect
      onSubmit={() => {
        const next = searchOf(form);
        if (JSON.stringify(next) === JSON.stringify(searchOf(evaluated))) void refetch();
        else void navigate({ to: '/playground', search: next });
      }}
      form={
        <>
          <FormErrors messages={isRejected ? otherMessages(error, CONTEXT_FIELDS) : []} />
          <Form
            form={form}
            projects={projects}
            environments={environments}
            errors={isRejected ? messagesByField(error) : {}}
            onChange={change => setForm(before => ({ ...before, ...change }))}
          />
        </>
      }
      actions={
        <>
          <Button type="submit" variant="filled" loading={isFetching}>
            Evaluate
          </Button>
          <span className="muted">Nothing is saved.</span>
        </>
      }
      title="Results"
      isBusy={isFetching}
    >
      {data && <Results evaluations={data} />}
      {!data && isFetching && <Skeleton rows={6} height={36} />}
      {!data && error && !isRejected && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !isFetching && !error && (
        <p className="muted">Choose a context and evaluate it. Each flag shows its result and the reason.</p>
      )}
      {!data && isRejected && <p className="muted">The server rejected the request.</p>}
    </FormAndEffect>
  );
}
