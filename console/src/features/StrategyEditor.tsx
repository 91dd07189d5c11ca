import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { otherMessages, RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';
import { useMissingPermissions } from '../api/me.ts';
import { projectsQuery } from '../shell/queries.ts';
import { strategyTypesQuery } from '../strategy-types/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { readDraft } from '../ui/drafts.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useReasons } from '../ui/useReasons.ts';
import type { Edited, Version } from '../ui/versions.ts';
import {
  bodyOf,
  type Draft,
  draftOf,
  newDraft,
  notAllowed,
  parameterProblems,
  problemsOf,
  rolloutProblem,
  thingOf,
} from './draft.ts';
import s from './features.module.css';
import {
  addStrategy,
  contextQuery,
  type Feature,
  findChange,
  readStrategy,
  type Segment,
  saveStrategy,
  segmentsQuery,
} from './queries.ts';
import { StrategyFields } from './StrategyFields.tsx';
import { audienceOf, selectsEveryone, textOf } from './words.ts';

/**
 * Edits a strategy, or creates one without `strategyId`. It starts from the newest state on the server. `onFinish` follows
 * a save or Discard.
 */
export function StrategyEditor(props: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  onFinish(): void;
}) {
  const { feature, environment, strategyId = '' } = props;
  const place = { projectId: feature.project, featureName: feature.name, environment, strategyId };
  const loaded = useQuery({
    queryKey: keys.strategy(strategyId),
    queryFn: () => readStrategy(place),
    enabled: strategyId !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // A newer state must not replace the one that the input is based on. Saving finds out whether there is one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === feature.project);
  if (strategyId === '')
    return (
      <Editor {...props} current={{ draft: newDraft(feature.name, project?.defaultStickiness), etag: '' }} />
    );
  if (loaded.data)
    return <Editor {...props} current={{ draft: draftOf(loaded.data.strategy), etag: loaded.data.etag }} />;
  const isDeleted = loaded.error instanceof RequestError && loaded.error.status === 404;
  const input = readDraft<Edited<Draft>>(thingOf(feature.name, environment, strategyId));
  if (isDeleted && input) return <Editor {...props} current={input.base} />;
  if (loaded.error) return <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />;
  return <Skeleton rows={3} />;
}

function Editor({
  feature,
  environment,
  strategyId,
  current,
  onFinish,
}: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  current: Version<Draft>;
  onFinish(): void;
}) {
  const client = useQueryClient();
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const fields = (useQuery(contextQuery).data ?? []).filter(
    ({ project }) => project === null || project === feature.project,
  );
  const place = { projectId: feature.project, featureName: feature.name, environment };
  const target = feature.environments.find(one => one.name === environment);
  const isDeleted = strategyId !== undefined && !target?.strategies.some(({ id }) => id === strategyId);
  const isNew = strategyId === undefined || isDeleted;
  const missing = useMissingPermissions(isNew ? 'addFeatureStrategy' : 'updateFeatureStrategy', {
    project: feature.project,
    environment,
  });
  const element = useRef<HTMLDivElement>(null);
  /** Scrolls to the first invalid field, or to the errors if they belong to no field. */
  const showProblem = () => {
    const invalid = element.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    (invalid ?? element.current?.querySelector<HTMLElement>('[data-errors]'))?.focus();
  };
  const editor = useEditor<Draft>({
    thing: thingOf(feature.name, environment, strategyId),
    current,
    read: async () => {
      const { strategy, etag } = await readStrategy({ ...place, strategyId: strategyId ?? '' });
      return { draft: draftOf(strategy), etag };
    },
    save: (sent, etag, reason) =>
      isNew
        ? addStrategy(place, bodyOf(sent), reason)
        : saveStrategy({ ...place, strategyId }, bodyOf(sent), etag, reason),
    findChange: () => findChange(place, event => event.data?.id === strategyId),
    onSaved: async () => {
      toast({ message: `Saved to ${environment}.` });
      // If the user is about to open something else, go there.
      if (element.current && !editor.isAsking) onFinish();
      return undefined;
    },
  });
  const { draft, base, changes: edits, change, error, conflict, question } = editor;
  const finish = () => {
    editor.discard();
    onFinish();
  };
  useEffect(() => {
    if (strategyId === undefined) element.current?.querySelector('input')?.focus();
  }, [strategyId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new error moves the focus
  useEffect(() => {
    if (error) showProblem();
    // The flag shows whether somebody deleted the strategy.
    if (error instanceof RequestError && error.status === 404)
      void client.invalidateQueries({ queryKey: keys.feature(place) });
  }, [error]);
  const reasons = useReasons(feature.project);
  const types = useQuery(strategyTypesQuery).data ?? [];
  const problems = [...problemsOf(draft), ...parameterProblems(draft, types)];
  // The constraint shows them.
  const hasWrongValues = draft.constraints.some(
    one =>
      notAllowed(
        one,
        fields.find(({ name }) => name === one.contextName),
      ).length > 0,
  );
  // A new strategy starts with all users, so a change that reaches all users of production needs a confirmation.
  const reachesEveryone =
    target?.type === 'production' && selectsEveryone(draft) && (isNew || !selectsEveryone(base));
  const [isAsking, setAsking] = useState(false);
  const changes = isNew ? [{ path: ['strategy'], kind: 'added' as const, after: 'new' }] : edits;
  const messages = otherMessages(error, []);
  if (conflict)
    return (
      <>
        <Conflict noun="strategy" {...conflict} />
        {question}
      </>
    );
  return (
    <div ref={element}>
      {isDeleted && (
        <p className={s.deleted} role="alert">
          Somebody deleted this strategy while you edited it. Saving adds it again as a new strategy.
        </p>
      )}
      <StrategyFields
        draft={draft}
        segments={segments}
        fields={fields}
        disabled={editor.isPending || missing.length > 0}
        {...(isNew && { start: base })}
        onChange={change}
      />
      <div data-errors="" tabIndex={-1}>
        {/* The field of the rollout shows its own problem. */}
        <FormErrors messages={[...problems.filter(one => one !== rolloutProblem(draft)), ...messages]} />
      </div>
      <SaveBar
        changes={changes}
        summary={isNew ? <NewAudience draft={draft} segments={segments} /> : undefined}
        action={`Save to ${environment}`}
        missing={missing}
        pending={editor.isPending}
        reason={{ reasons, ...editor.reason }}
        disabled={problems.length > 0 || hasWrongValues || missing.length > 0}
        onSave={() => (reachesEveryone ? setAsking(true) : editor.save())}
        onInvalid={showProblem}
        onDiscard={finish}
      />
      <Confirm
        opened={isAsking}
        title={`Save for everyone in ${environment}?`}
        action="Save for everyone"
        onConfirm={editor.save}
        onClose={() => setAsking(false)}
      >
        Every user in {environment} gets {feature.name}{' '}
        {target?.enabled ? 'immediately' : 'when it is enabled'}. Lower the rollout or add targeting to reach
        some users only.
      </Confirm>
      {question}
    </div>
  );
}

/** The users who get the flag through a strategy that is not saved yet. */
function NewAudience({ draft, segments }: { draft: Draft; segments: readonly Segment[] }) {
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  return (
    <>
      <b>New strategy</b>
      {/* As text: the component would load the script of the whole page. */}
      {rolloutProblem(draft) === undefined && textOf(audienceOf(draft, names))}
    </>
  );
}
