import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { ListPage } from '../ui/ListPage.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Cell } from '../ui/Row.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useFilters } from '../ui/useFilters.ts';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import s from './feature-types.module.css';
import {
  buildSubject,
  type FeatureType,
  featureTypeQuery,
  featureTypesQuery,
  updateLifetime,
} from './queries.ts';

const getKey = ({ id }: FeatureType): string => id;
const getSearchText = ({ name, description }: FeatureType): string => `${name}\n${description}`;
const COLUMNS = [{ label: 'Feature type' }, { label: 'Lifetime' }];

const formatLifetime = ({ lifetimeDays }: Pick<FeatureType, 'lifetimeDays'>): string =>
  lifetimeDays === null ? 'unlimited' : formatCount(lifetimeDays, 'day');

/** Lists the feature types and their lifetimes. A flag is potentially stale once it is older than its type's lifetime. */
export function FeatureTypesPage() {
  const { data, error, refetch } = useQuery(featureTypesQuery);
  const { search, push, replace } = useFilters();
  const open = useCallback(({ id }: FeatureType) => push({ edit: `type:${id}` }), [push]);
  const render = useCallback(
    (type: FeatureType) => (
      <>
        <Cell variant="name">
          <button type="button" className={s.name} onClick={() => open(type)}>
            {type.name}
          </button>
          <small>{type.description}</small>
        </Cell>
        <Cell variant="dim">{formatLifetime(type)}</Cell>
      </>
    ),
    [open],
  );
  const editedType = data?.find(({ id }) => search.edit === `type:${id}`);
  return (
    <ListPage
      title="Feature types"
      noun="feature type"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or description"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={render}
      onOpen={open}
      empty="No feature types."
    >
      {editedType && (
        <Panel key={editedType.id} type={editedType} onClose={() => replace({ edit: undefined })} />
      )}
    </ListPage>
  );
}

/** The number of days as a string. An empty string means unlimited. */
type Draft = { lifetimeDays: string };
const toDraft = ({ lifetimeDays }: FeatureType): Draft => ({ lifetimeDays: String(lifetimeDays ?? '') });

function Panel({ type: { id, name }, onClose }: { type: FeatureType; onClose(): void }) {
  const { data, error, refetch } = useQuery(featureTypeQuery(id));
  if (data)
    return (
      <Editor type={data.type} current={{ draft: toDraft(data.type), etag: data.etag }} onClose={onClose} />
    );
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loading queries={[{ error, refetch }]} rows={3} />
    </SidePanel>
  );
}

const DAYS_PATTERN = /^([1-9]\d{0,4})?$/;

function Editor({ type, current, onClose }: { type: FeatureType; current: Version<Draft>; onClose(): void }) {
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('updateFeatureTypeLifetime');
  const readLatest = async () => {
    const latest = await client.fetchQuery({ ...featureTypeQuery(type.id), staleTime: 0 });
    return { draft: toDraft(latest.type), etag: latest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `feature-type:${type.id}`,
    current,
    read: readLatest,
    save: (sentDraft, etag) =>
      updateLifetime(type.id, sentDraft.lifetimeDays === '' ? null : Number(sentDraft.lifetimeDays), etag),
    findChange: () => findChange(buildSubject(type.id)),
    onSaved: async () => {
      toast({ message: `Saved ${type.name}.` });
      return await readLatest();
    },
  });
  const isValid = DAYS_PATTERN.test(draft.lifetimeDays);
  return (
    <SidePanel title={type.name} isConfirming={changes.length > 0} onClose={onClose}>
      {conflict ? (
        <Conflict noun="feature type" {...conflict} />
      ) : (
        <div className={s.panel}>
          <p>{type.description}</p>
          <FormErrors messages={messagesWithoutField(error, ['lifetimeDays'])} />
          <TextInput
            label="Lifetime in days"
            description="Older flags are potentially stale and lower their project's health. Leave it empty for no limit."
            inputMode="numeric"
            data-autofocus
            disabled={missingPermissions.length > 0 || editor.isPending}
            value={draft.lifetimeDays}
            error={
              messagesByField(error).lifetimeDays ??
              (isValid ? undefined : 'Enter a whole number from 1 to 36500, or leave it empty.')
            }
            onChange={event => change({ lifetimeDays: event.target.value.trim() })}
            onKeyDown={event => {
              if (event.key === 'Enter' && isValid && changes.length > 0) editor.save();
            }}
          />
          <LastChange subject={buildSubject(type.id)} />
          {(changes.length > 0 || missingPermissions.length > 0) && (
            <SaveBar
              changes={changes}
              missingPermissions={missingPermissions}
              disabled={missingPermissions.length > 0 || !isValid}
              pending={editor.isPending}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )}
        </div>
      )}
      {confirmation}
    </SidePanel>
  );
}
