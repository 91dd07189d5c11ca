import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { typesQuery } from '../feature-search/queries.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { isFavoriteType } from '../ui/favorites.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useReasonRule } from '../ui/useReasonRule.ts';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import { ArchiveSection } from './ArchiveSection.tsx';
import { FlagFrame } from './Frame.tsx';
import { Move } from './Move.tsx';
import { type Feature, findChange, settingsQuery, updateFeature } from './queries.ts';
import s from './tab.module.css';

/** Changes the settings of a flag, moves it to a different project, and archives it. */
export function FeatureSettingsPage() {
  return (
    <FlagFrame>
      {feature => (
        <div className={s.tab}>
          <General key={feature.name} feature={feature} />
          {!feature.archived && <Move feature={feature} />}
          <ArchiveSection feature={feature} />
        </div>
      )}
    </FlagFrame>
  );
}

const SHOWN_FIELDS = ['description', 'type', 'impressionData', 'stale'];
const CHECKBOXES = [
  {
    field: 'impressionData',
    label: 'Impression data',
    description: 'SDKs emit an event each time the application evaluates the flag.',
  },
  {
    field: 'stale',
    label: 'Stale',
    description:
      "The flag is no longer needed. Stale flags lower the project's health until they are archived.",
  },
] as const;
type Draft = { description: string; type: string; impressionData: boolean; stale: boolean };

const toDraft = ({ description, type, impressionData, stale }: Feature): Draft => ({
  description: description ?? '',
  type,
  impressionData,
  stale,
});

function General({ feature }: { feature: Feature }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { data, error, refetch } = useQuery(settingsQuery(path));
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
      {data && <Editor feature={feature} current={{ draft: toDraft(data.feature), etag: data.etag }} />}
    </section>
  );
}

function Editor({ feature, current }: { feature: Feature; current: Version<Draft> }) {
  const client = useQueryClient();
  const types = useQuery(typesQuery).data?.types ?? [];
  const path = { projectId: feature.project, featureName: feature.name };
  const missingPermissions = useMissingPermissions('updateFeature', { project: feature.project });
  const readLatest = async () => {
    const latest = await client.fetchQuery({ ...settingsQuery(path), staleTime: 0 });
    return { draft: toDraft(latest.feature), etag: latest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `settings:${feature.name}`,
    current,
    read: readLatest,
    save: (sentDraft, etag, reason) =>
      updateFeature(path, { ...sentDraft, description: sentDraft.description || null }, { etag, reason }),
    findChange: () => findChange(path, ({ type, environment }) => !environment && !isFavoriteType(type)),
    onSaved: async () => {
      toast({ message: 'Settings saved.' });
      return await readLatest();
    },
  });
  const reasonRule = useReasonRule(feature.project);
  const isReadOnly = feature.archived || missingPermissions.length > 0;
  const messages = messagesByField(error);
  const type = types.find(({ id }) => id === draft.type);
  if (conflict)
    return (
      <div className={s.card}>
        <Conflict noun="flag" {...conflict} />
        {confirmation}
      </div>
    );
  return (
    <div className={s.card}>
      <div className={s.fields}>
        <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
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
            `${type.description}. ${type.lifetimeDays === null ? 'No expected lifetime.' : `Expected lifetime: ${formatCount(type.lifetimeDays, 'day')}.`}`
          }
          disabled={isReadOnly}
          value={draft.type}
          error={messages.type}
          data={types.map(({ id, name }) => ({ value: id, label: name }))}
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
        missingPermissions={missingPermissions}
        pending={editor.isPending}
        disabled={isReadOnly}
        reason={{ reasonRule, ...editor.reason }}
        onSave={editor.save}
        onDiscard={editor.discard}
      />
      {confirmation}
    </div>
  );
}
