import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messagesByField, otherMessages, RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { typesQuery } from '../feature-search/queries.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { changesOf } from '../ui/diff.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { isFavoriteType } from '../ui/favorites.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { counted } from '../ui/words.ts';
import { FlagFrame } from './Frame.tsx';
import { Move } from './Move.tsx';
import { type Feature, findChange, refresh, settingsQuery, updateFeature } from './queries.ts';
import { Remove } from './Remove.tsx';
import s from './tab.module.css';

/** The settings of a flag, its project, and its end. */
export function FeatureSettingsPage() {
  return (
    <FlagFrame>
      {feature => (
        <div className={s.tab}>
          <General key={feature.name} feature={feature} />
          {!feature.archived && <Move feature={feature} />}
          <Remove feature={feature} />
        </div>
      )}
    </FlagFrame>
  );
}

const FIELDS = ['description', 'type', 'impressionData', 'stale'];
const CHECKBOXES = [
  {
    field: 'impressionData',
    label: 'Impression data',
    description: 'SDKs emit an event each time a program evaluates the flag.',
  },
  {
    field: 'stale',
    label: 'Stale',
    description: 'The flag is no longer needed. It lowers the health of the project until it is archived.',
  },
] as const;
type Draft = { description: string; type: string; impressionData: boolean; stale: boolean };
/** A state of the flag, and the ETag that proves it. */
type Known = { draft: Draft; etag: string };

const draftOf = ({ description, type, impressionData, stale }: Feature): Draft => ({
  description: description ?? '',
  type,
  impressionData,
  stale,
});

function General({ feature }: { feature: Feature }) {
  const place = { projectId: feature.project, featureName: feature.name };
  const { data, error, refetch } = useQuery(settingsQuery(place));
  return (
    <section aria-label="Settings">
      <header>
        <h2>Settings</h2>
        {feature.archived && (
          <span className="muted">An archived flag cannot be changed. Revive it first.</span>
        )}
      </header>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={4} />}
      {data && <Editor feature={feature} saved={{ draft: draftOf(data.feature), etag: data.etag }} />}
    </section>
  );
}

function Editor({ feature, saved }: { feature: Feature; saved: Known }) {
  const client = useQueryClient();
  const types = useQuery(typesQuery).data?.types ?? [];
  const place = { projectId: feature.project, featureName: feature.name };
  const missing = useMissingPermissions('updateFeature', { project: feature.project });
  // undefined: no change, so that changes by somebody else appear. `base` is what the user started from.
  const [edited, setEdited] = useState<{ base: Known; draft: Draft }>();
  const [theirs, setTheirs] = useState<Known & { by: Awaited<ReturnType<typeof findChange>> }>();
  const { base, draft } = edited ?? { base: saved, draft: saved.draft };
  const save = useMutation({
    mutationFn: async (sent: Draft) => {
      await updateFeature(place, { ...sent, description: sent.description || null }, base.etag);
    },
    onSuccess: async (_, sent) => {
      await refresh(client, place);
      const now = await client.ensureQueryData(settingsQuery(place));
      const stored = { draft: draftOf(now.feature), etag: now.etag };
      // Input that arrived while the request ran stays.
      setEdited(latest => (latest && latest.draft !== sent ? { ...latest, base: stored } : undefined));
      toast({ message: 'Settings saved.' });
    },
    onError: async failure => {
      if (!(failure instanceof RequestError) || failure.status !== 412) return;
      const now = await client.fetchQuery(settingsQuery(place));
      const by = await findChange(place, ({ type, environment }) => !environment && !isFavoriteType(type));
      setTheirs({ draft: draftOf(now.feature), etag: now.etag, by });
    },
  });
  const settle = (next: typeof edited) => {
    setEdited(next);
    setTheirs(undefined);
    save.reset();
  };
  const change = (part: Partial<Draft>) => {
    setEdited({ base, draft: { ...draft, ...part } });
    if (save.isError) save.reset();
  };
  const isReadOnly = feature.archived || missing.length > 0;
  const changes = changesOf(base.draft, draft);
  const { question } = useUnsaved(changes.length > 0);
  const messages = messagesByField(save.error);
  const type = types.find(one => one.id === draft.type);
  if (theirs && edited)
    return (
      <div className={s.card}>
        <Conflict
          noun="flag"
          by={theirs.by}
          base={base.draft}
          mine={draft}
          theirs={theirs.draft}
          onKeep={() => settle({ base: theirs, draft })}
          onTake={() => settle(undefined)}
        />
        {question}
      </div>
    );
  return (
    <div className={s.card}>
      <div className={s.fields}>
        <FormErrors messages={otherMessages(save.error, FIELDS)} />
        <Textarea
          label="Description"
          rows={3}
          maxLength={4000}
          readOnly={isReadOnly}
          value={draft.description}
          error={messages.description}
          onChange={event => change({ description: event.target.value })}
        />
        <NativeSelect
          label="Type"
          description={
            type &&
            `${type.description}. ${type.lifetimeDays === null ? 'No expected lifetime.' : `Expected lifetime: ${counted(type.lifetimeDays, 'day')}.`}`
          }
          disabled={isReadOnly}
          value={draft.type}
          error={messages.type}
          data={types.map(one => ({ value: one.id, label: one.name }))}
          onChange={event => change({ type: event.target.value })}
        />
        {CHECKBOXES.map(({ field, label, description }) => (
          <Checkbox
            key={field}
            label={label}
            description={description}
            disabled={isReadOnly}
            checked={draft[field]}
            error={messages[field]}
            onChange={event => change({ [field]: event.target.checked })}
          />
        ))}
      </div>
      <SaveBar
        changes={changes}
        action="Save settings"
        missing={missing}
        pending={save.isPending}
        disabled={isReadOnly}
        onSave={() => save.mutate(draft)}
        onDiscard={() => settle(undefined)}
      />
      {question}
    </div>
  );
}
