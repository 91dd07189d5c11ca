import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { messagesWithoutField, RequestError } from '../api/errors.ts';
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
import { useReasonRule } from '../ui/useReasonRule.ts';
import type { EditedDraft, Version } from '../ui/versions.ts';
import {
  type Draft,
  findDisallowedProblems,
  findParameterProblems,
  findProblems,
  findRolloutProblem,
  getDraftKey,
  newDraft,
  toBody,
  toDraft,
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
import { describeStrategyAudience, selectsEveryone, toPlainText } from './words.ts';

/**
 * Edits a strategy, or creates one if there is no `strategyId`. The editor starts from the newest state on the server. `onFinish` is
 * called after the user saves or discards the changes.
 */
export function StrategyEditor(props: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  onFinish(): void;
}) {
  const { feature, environment, strategyId = '' } = props;
  const path = { projectId: feature.project, featureName: feature.name, environment, strategyId };
  const loadedStrategy = useQuery({
    queryKey: keys.strategy(strategyId),
    queryFn: () => readStrategy(path),
    enabled: strategyId !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // The input is based on this state, so a newer state must not replace this one. A save detects whether somebody changed the strategy.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === feature.project);
  if (strategyId === '')
    return (
      <Editor {...props} current={{ draft: newDraft(feature.name, project?.defaultStickiness), etag: '' }} />
    );
  if (loadedStrategy.data)
    return (
      <Editor
        {...props}
        current={{ draft: toDraft(loadedStrategy.data.strategy), etag: loadedStrategy.data.etag }}
      />
    );
  const isDeleted = loadedStrategy.error instanceof RequestError && loadedStrategy.error.status === 404;
  const input = readDraft<EditedDraft<Draft>>(getDraftKey(feature.name, environment, strategyId));
  if (isDeleted && input) return <Editor {...props} current={input.base} />;
  if (loadedStrategy.error)
    return <Failure error={loadedStrategy.error} onRetry={() => void loadedStrategy.refetch()} />;
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
  const path = { projectId: feature.project, featureName: feature.name, environment };
  const target = feature.environments.find(({ name }) => name === environment);
  const isDeleted = strategyId !== undefined && !target?.strategies.some(({ id }) => id === strategyId);
  const isNew = strategyId === undefined || isDeleted;
  const missingPermissions = useMissingPermissions(isNew ? 'addFeatureStrategy' : 'updateFeatureStrategy', {
    project: feature.project,
    environment,
  });
  const element = useRef<HTMLDivElement>(null);
  /** Focuses the first invalid field, or the errors if they do not belong to a field. */
  const showProblem = () => {
    const invalid = element.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    (invalid ?? element.current?.querySelector<HTMLElement>('[data-errors]'))?.focus();
  };
  const editor = useEditor<Draft>({
    draftKey: getDraftKey(feature.name, environment, strategyId),
    current,
    read: async () => {
      const { strategy, etag } = await readStrategy({ ...path, strategyId: strategyId ?? '' });
      return { draft: toDraft(strategy), etag };
    },
    save: (sentDraft, etag, reason) =>
      isNew
        ? addStrategy(path, toBody(sentDraft), reason)
        : saveStrategy({ ...path, strategyId }, toBody(sentDraft), etag, reason),
    findChange: () => findChange(path, event => event.data?.id === strategyId),
    onSaved: async () => {
      toast({ message: `Saved to ${environment}.` });
      // `onFinish` is not called if the user is leaving for a different page, because that page opens next.
      if (element.current && !editor.isConfirming) onFinish();
      return undefined;
    },
  });
  const { draft, base, changes: edits, change, error, conflict, confirmation } = editor;
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
    // Reads the flag again, because somebody may have deleted the strategy.
    if (error instanceof RequestError && error.status === 404)
      void client.invalidateQueries({ queryKey: keys.feature(path) });
  }, [error]);
  const reasonRule = useReasonRule(feature.project);
  const types = useQuery(strategyTypesQuery).data ?? [];
  const problems = [
    ...findDisallowedProblems(draft.constraints, fields),
    ...findProblems(draft),
    ...findParameterProblems(draft, types),
  ];
  // A new strategy reaches all users by default, so saving a strategy for everyone in production needs confirmation.
  const reachesEveryone =
    target?.type === 'production' && selectsEveryone(draft) && (isNew || !selectsEveryone(base));
  const [isConfirming, setConfirming] = useState(false);
  const changes = isNew ? [{ path: ['strategy'], kind: 'added' as const, after: 'new' }] : edits;
  const messages = messagesWithoutField(error, []);
  if (conflict)
    return (
      <>
        <Conflict noun="strategy" {...conflict} />
        {confirmation}
      </>
    );
  return (
    <div ref={element}>
      {isDeleted && (
        <p className={s.deleted} role="alert">
          Somebody deleted this strategy while you were editing it. Saving adds it again as a new strategy.
        </p>
      )}
      <StrategyFields
        draft={draft}
        segments={segments}
        fields={fields}
        disabled={editor.isPending || missingPermissions.length > 0}
        {...(isNew && { initialDraft: base })}
        onChange={change}
      />
      {messages.length > 0 && (
        <div data-errors="" tabIndex={-1}>
          <FormErrors messages={messages} />
        </div>
      )}
      <SaveBar
        changes={changes}
        summary={isNew ? <NewAudience draft={draft} segments={segments} /> : undefined}
        action={`Save to ${environment}`}
        missingPermissions={missingPermissions}
        pending={editor.isPending}
        reason={{ reasonRule, ...editor.reason }}
        problems={problems}
        disabled={missingPermissions.length > 0}
        onSave={() => (reachesEveryone ? setConfirming(true) : editor.save())}
        onInvalid={showProblem}
        onDiscard={finish}
      />
      <Confirm
        opened={isConfirming}
        title={`Save for everyone in ${environment}?`}
        action="Save for everyone"
        onConfirm={editor.save}
        onClose={() => setConfirming(false)}
      >
        Every user in {environment} gets {feature.name}{' '}
        {target?.enabled ? 'immediately' : 'when it is enabled'}. Lower the rollout or add targeting to reach
        only some users.
      </Confirm>
      {confirmation}
    </div>
  );
}

/** Describes who would get the flag through the unsaved strategy. */
function NewAudience({ draft, segments }: { draft: Draft; segments: readonly Segment[] }) {
  const segmentNames = new Map(segments.map(({ id, name }) => [id, name]));
  return (
    <>
      <b>New strategy</b>
      {/* Plain text instead of the Audience component, whose import would load the script of the whole page. */}
      {findRolloutProblem(draft) === undefined && toPlainText(describeStrategyAudience(draft, segmentNames))}
    </>
  );
}
