import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { otherMessages, RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { changesOf } from '../ui/diff.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { bodyOf, type Draft, draftOf, newDraft, notAllowed, problemsOf, rolloutProblem } from './draft.ts';
import s from './features.module.css';
import {
  addStrategy,
  contextQuery,
  type Feature,
  findChange,
  readStrategy,
  refresh,
  type Segment,
  saveStrategy,
  segmentsQuery,
} from './queries.ts';
import { Rollout } from './Rollout.tsx';
import { Targeting } from './Targeting.tsx';
import { Variants } from './Variants.tsx';
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
    queryKey: ['strategy', strategyId],
    queryFn: () => readStrategy(place),
    enabled: strategyId !== '',
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (strategyId === '') return <Editor {...props} original={newDraft(feature.name)} etag="" />;
  if (loaded.error) return <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />;
  if (!loaded.data) return <Skeleton rows={3} />;
  return <Editor {...props} original={draftOf(loaded.data.strategy)} etag={loaded.data.etag} />;
}

type Change = Awaited<ReturnType<typeof findChange>>;

function Editor({
  feature,
  environment,
  strategyId,
  original,
  etag,
  onFinish,
}: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  original: Draft;
  etag: string;
  onFinish(): void;
}) {
  const client = useQueryClient();
  // The state that the user started from, and the ETag that proves it. "Continue with mine" replaces it by the newer state.
  const [base, setBase] = useState({ draft: original, etag });
  const [draft, setDraft] = useState(original);
  const [theirs, setTheirs] = useState<{ draft: Draft; etag: string; by: Change }>();
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const fields = (useQuery(contextQuery).data ?? []).filter(
    ({ project }) => project === null || project === feature.project,
  );
  const place = { projectId: feature.project, featureName: feature.name, environment };
  const missing = useMissingPermissions(strategyId ? 'updateFeatureStrategy' : 'addFeatureStrategy', {
    project: feature.project,
    environment,
  });
  const editor = useRef<HTMLDivElement>(null);
  /** Scrolls to the first invalid field, or to the errors if they belong to no field. */
  const showProblem = () => {
    const invalid = editor.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    (invalid ?? editor.current?.querySelector<HTMLElement>('[data-errors]'))?.focus();
  };
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }));
  const save = useMutation({
    mutationFn: async () => {
      if (strategyId) await saveStrategy({ ...place, strategyId }, bodyOf(draft), base.etag);
      else await addStrategy(place, bodyOf(draft));
    },
    onSuccess: async () => {
      await refresh(client, place);
      toast({ message: `Saved to ${environment}.` });
      onFinish();
    },
    onError: async error => {
      if (!(error instanceof RequestError) || error.status !== 412 || !strategyId) return;
      const now = await readStrategy({ ...place, strategyId });
      const by = await findChange(place, event => event.data?.id === strategyId);
      setTheirs({ draft: draftOf(now.strategy), etag: now.etag, by });
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new error moves the focus
  useEffect(() => {
    if (save.error) showProblem();
  }, [save.error]);
  const problems = problemsOf(draft);
  // The constraint shows them.
  const hasWrongValues = draft.constraints.some(
    one =>
      notAllowed(
        one,
        fields.find(({ name }) => name === one.contextName),
      ).length > 0,
  );
  const edits = changesOf(base.draft, draft);
  const target = feature.environments.find(one => one.name === environment);
  // A new strategy starts with all users, so a change that reaches all users of production needs a second look.
  const reachesEveryone =
    target?.type === 'production' && selectsEveryone(draft) && !(strategyId && selectsEveryone(base.draft));
  const [isAsking, setAsking] = useState(false);
  const { question } = useUnsaved(edits.length > 0);
  const changes = strategyId ? edits : [{ path: ['strategy'], kind: 'added' as const, after: 'new' }];
  const messages = theirs ? [] : otherMessages(save.error, []);
  if (theirs)
    return (
      <>
        <Conflict
          noun="strategy"
          by={theirs.by}
          base={base.draft}
          mine={draft}
          theirs={theirs.draft}
          onKeep={() => {
            setBase(theirs);
            setTheirs(undefined);
            save.reset();
          }}
          onTake={() => {
            setBase(theirs);
            setDraft(theirs.draft);
            setTheirs(undefined);
            save.reset();
          }}
        />
        {question}
      </>
    );
  return (
    <div ref={editor}>
      <fieldset className={s.lines} disabled={save.isPending}>
        <Line label="Title">
          <div className={s.titleLine}>
            <TextInput
              aria-label="Title"
              placeholder="Optional"
              value={draft.title}
              onChange={event => change({ title: event.target.value })}
            />
            <Checkbox
              label="Disabled: SDKs ignore this strategy"
              checked={draft.disabled}
              onChange={event => change({ disabled: event.target.checked })}
            />
          </div>
        </Line>
        <Line label="Targeting">
          <Targeting draft={draft} segments={segments} fields={fields} onChange={change} />
        </Line>
        {draft.name === 'flexibleRollout' ? (
          <Line label="Rollout">
            <Rollout draft={draft} fields={fields} onChange={change} />
          </Line>
        ) : (
          <Line label="Parameters">
            <Parameters draft={draft} onChange={change} />
          </Line>
        )}
        <Line label="Variants">
          <Variants draft={draft} onChange={change} />
        </Line>
      </fieldset>
      <div data-errors="" tabIndex={-1}>
        {/* The field of the rollout shows its own problem. */}
        <FormErrors messages={[...problems.filter(one => one !== rolloutProblem(draft)), ...messages]} />
      </div>
      <SaveBar
        changes={changes}
        summary={strategyId ? undefined : <NewAudience draft={draft} segments={segments} />}
        action={`Save to ${environment}`}
        missing={missing}
        pending={save.isPending}
        disabled={problems.length > 0 || hasWrongValues || missing.length > 0}
        onSave={() => (reachesEveryone ? setAsking(true) : save.mutate())}
        onInvalid={showProblem}
        onDiscard={onFinish}
      />
      <Confirm
        opened={isAsking}
        title={`Save for everyone in ${environment}?`}
        action="Save for everyone"
        onConfirm={() => save.mutate()}
        onClose={() => setAsking(false)}
      >
        Every user in {environment} gets {feature.name} {target?.enabled ? 'at once' : 'when it is enabled'}.
        Lower the rollout or add targeting to reach some users only.
      </Confirm>
      {question}
    </div>
  );
}

/** The users who get the flag by a strategy that is not saved yet. */
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

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={s.line}>
      <h3>{label}</h3>
      <div>{children}</div>
    </div>
  );
}

/** The parameters of a strategy type other than gradual rollout, as texts. */
function Parameters({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const names = Object.keys(draft.parameters);
  if (names.length === 0) return <span className="muted">Strategy {draft.name} has no parameters.</span>;
  return names.map(name => (
    <TextInput
      key={name}
      label={name}
      value={draft.parameters[name] ?? ''}
      onChange={event => onChange({ parameters: { ...draft.parameters, [name]: event.target.value } })}
    />
  ));
}
