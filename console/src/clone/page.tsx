import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { messagesByField, messagesWithoutField, RequestError } from '../api/errors.ts';
import { type Feature, featureQuery, segmentsQuery } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { Form } from './Form.tsx';
import { buildCloneRequest, createInitialForm, MAX_NAME_LENGTH } from './form.ts';
import { Plan } from './Plan.tsx';
import { buildPlanTree, markDifferences, type PlanNode } from './plan.ts';
import { cloneFeature, planQuery } from './queries.ts';

/** Copies a flag. The plan on the right shows the effect of every choice before anything is written. */
export function ClonePage() {
  const { projectId = '', featureName = '' } = useParams({ strict: false });
  const { data: source, error, refetch } = useQuery(featureQuery({ projectId, featureName }));
  return (
    <Page
      name={`Clone ${featureName}`}
      title={
        <>
          Clone <span className="mono">{featureName}</span>
        </>
      }
      crumbs={<Crumbs projectId={projectId} featureName={featureName} />}
    >
      {source && <Clone key={source.name} source={source} />}
      {!source && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton />)}
    </Page>
  );
}

function Crumbs({ projectId, featureName }: { projectId: string; featureName: string }) {
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === projectId);
  return (
    <>
      <Link to="/projects">Projects</Link> /{' '}
      <Link to="/projects/$projectId" params={{ projectId }}>
        {project?.name ?? projectId}
      </Link>{' '}
      /{' '}
      <Link to="/projects/$projectId/features/$featureName" params={{ projectId, featureName }}>
        {featureName}
      </Link>
    </>
  );
}

const SHOWN_FIELDS = ['name', 'project', 'environments'];
const PLAN_DELAY_MS = 300;

function Clone({ source }: { source: Feature }) {
  const navigate = useNavigate();
  const path = { projectId: source.project, featureName: source.name };
  const projects = useQuery(projectsQuery).data ?? [];
  const segments = useQuery(segmentsQuery).data?.segments;
  const segmentNames = useMemo(() => new Map(segments?.map(({ id, name }) => [id, name])), [segments]);
  const {
    draft: form,
    change: edit,
    isChanged,
    forget,
  } = useDraft(`clone:${source.name}`, createInitialForm(source));
  const { confirmation } = useUnsaved(isChanged, forget);
  /** The tree of the plan that the server rejected as outdated. */
  const [rejectedTree, setRejected] = useState<PlanNode[]>();

  const targetEnvironments = projects.find(project => project.id === form.project)?.environments ?? [];
  const isTooLong = form.name.length > MAX_NAME_LENGTH;
  const body = buildCloneRequest(form, source, targetEnvironments);
  const debouncedBody = useDebounced(body, PLAN_DELAY_MS);
  const {
    data: plan,
    error,
    isPlaceholderData,
    isFetching,
    refetch,
  } = useQuery(planQuery(path, debouncedBody));
  const isCurrent =
    !isPlaceholderData && !isFetching && JSON.stringify(body) === JSON.stringify(debouncedBody);
  const tree = useMemo(() => plan && buildPlanTree(plan, source, segmentNames), [plan, source, segmentNames]);

  const clone = useMutation({
    mutationFn: (planId: string) => cloneFeature(path, { ...body, planId }),
    onSuccess: async () => {
      forget();
      toast({ message: `Cloned ${source.name} to ${form.name}. The copy is disabled in every environment.` });
      await navigate({
        to: '/projects/$projectId/features/$featureName',
        params: { projectId: form.project, featureName: form.name },
        ignoreBlocker: true,
      });
    },
    onError: async failure => {
      if (!isOutdated(failure)) return;
      setRejected(tree);
      await refetch();
    },
  });
  const failure = error ?? (isOutdated(clone.error) ? null : clone.error);
  const change = (changes: Partial<typeof form>) => {
    edit(changes);
    setRejected(undefined);
    clone.reset();
  };

  return (
    <FormAndEffect
      wide
      onSubmit={() => isCurrent && plan?.planId && clone.mutate(plan.planId)}
      form={
        <>
          <FormErrors messages={messagesWithoutField(failure, SHOWN_FIELDS)} />
          <Form
            form={form}
            source={source}
            projects={projects}
            errors={messagesByField(failure)}
            onChange={change}
          />
        </>
      }
      actions={
        <>
          <Can call="cloneFeature" project={form.project}>
            <Button
              type="submit"
              variant="filled"
              loading={clone.isPending}
              disabled={!isCurrent || !plan?.planId || error !== null || form.name === ''}
            >
              Clone
            </Button>
          </Can>
          <span className="muted">
            {plan && isCurrent && !plan.planId
              ? 'Remove the obstacles first.'
              : 'The server copies all parts or none.'}
          </span>
        </>
      }
      title="Plan"
      isBusy={!isCurrent}
    >
      {!isTooLong && plan && tree && (
        <Plan
          plan={plan}
          tree={markDifferences(tree, isFetching ? undefined : rejectedTree)}
          isOutdated={rejectedTree !== undefined && !isFetching}
          isPrevious={!isCurrent || error !== null}
        />
      )}
      {!isTooLong && !plan && !error && <Skeleton rows={5} height={32} />}
      {(isTooLong || (!plan && error)) && <p className="muted">No plan is available for this input.</p>}
      {confirmation}
    </FormAndEffect>
  );
}

/** Whether the plan no longer matches the source or the project. */
const isOutdated = (error: unknown): boolean =>
  error instanceof RequestError && error.status === 409 && error.kind === 'ConflictError';

/** Returns the value once it has stopped changing for a while. */
function useDebounced<T>(value: T, delayMs: number): T {
  const [debounced, setDebounced] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text) as T), delayMs);
    return () => clearTimeout(timer);
  }, [text, delayMs]);
  return debounced;
}
