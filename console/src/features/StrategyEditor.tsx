import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { otherMessages, RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { changesOf } from '../ui/diff.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { bodyOf, type Draft, draftOf, newDraft, problemsOf } from './draft.ts';
import s from './features.module.css';
import {
  addStrategy,
  contextQuery,
  type Feature,
  readStrategy,
  refresh,
  saveStrategy,
  segmentsQuery,
} from './queries.ts';
import { Rollout } from './Rollout.tsx';
import { Targeting } from './Targeting.tsx';
import { Variants } from './Variants.tsx';

/** Edits a strategy, or creates one without `strategyId`. It starts from the newest state on the server. */
export function StrategyEditor(props: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  onClose(): void;
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

function Editor({
  feature,
  environment,
  strategyId,
  original,
  etag,
  onClose,
}: {
  feature: Feature;
  environment: string;
  strategyId?: string;
  original: Draft;
  etag: string;
  onClose(): void;
}) {
  const client = useQueryClient();
  // The state that the user started from, and the ETag that proves it. "Keep mine" replaces it by the newer state.
  const [base, setBase] = useState({ draft: original, etag });
  const [draft, setDraft] = useState(original);
  const [theirs, setTheirs] = useState<{ draft: Draft; etag: string }>();
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const fields = useQuery(contextQuery).data ?? [];
  const place = { projectId: feature.project, featureName: feature.name, environment };
  const missing = useMissingPermissions(strategyId ? 'updateFeatureStrategy' : 'addFeatureStrategy', {
    project: feature.project,
    environment,
  });
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }));
  const save = useMutation({
    mutationFn: async () => {
      if (strategyId) await saveStrategy({ ...place, strategyId }, bodyOf(draft), base.etag);
      else await addStrategy(place, bodyOf(draft));
    },
    onSuccess: async () => {
      await refresh(client, place);
      toast({ message: `Saved to ${environment}.` });
      onClose();
    },
    onError: async error => {
      if (!(error instanceof RequestError) || error.status !== 412 || !strategyId) return;
      const now = await readStrategy({ ...place, strategyId });
      setTheirs({ draft: draftOf(now.strategy), etag: now.etag });
    },
  });
  const problems = problemsOf(draft);
  const changes = strategyId
    ? changesOf(base.draft, draft)
    : [{ path: ['strategy'], kind: 'added' as const, after: 'new' }];
  const messages = theirs ? [] : otherMessages(save.error, []);
  if (theirs)
    return (
      <Conflict
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
    );
  return (
    <div className={s.editor}>
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
      <FormErrors messages={[...problems, ...messages]} />
      <SaveBar
        changes={changes}
        action={missing.length > 0 ? `Requires ${missing.join(' or ')}` : `Save to ${environment}`}
        pending={save.isPending}
        disabled={problems.length > 0 || missing.length > 0}
        onSave={() => save.mutate()}
        onDiscard={onClose}
      />
    </div>
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

/** Somebody else changed the strategy while the user edited it. Nothing is lost before the user chooses. */
function Conflict({
  base,
  mine,
  theirs,
  onKeep,
  onTake,
}: {
  base: Draft;
  mine: Draft;
  theirs: Draft;
  onKeep(): void;
  onTake(): void;
}) {
  return (
    <div className={s.conflict} role="alert">
      <h3>Somebody changed this strategy while you edited it</h3>
      <div className={s.compare}>
        <section aria-label="Their changes">
          <h4>Their changes, saved</h4>
          <FieldDiff changes={changesOf(base, theirs)} />
        </section>
        <section aria-label="Your changes">
          <h4>Your changes, not saved</h4>
          <FieldDiff changes={changesOf(base, mine)} />
        </section>
      </div>
      <p className="muted">
        Keep yours to continue editing. Your next save then replaces theirs. Take theirs to discard your
        changes.
      </p>
      <Button variant="filled" onClick={onKeep}>
        Keep mine
      </Button>
      <Button onClick={onTake}>Take theirs</Button>
    </div>
  );
}
