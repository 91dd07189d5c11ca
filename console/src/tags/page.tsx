import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { tagTypesQuery } from '../features/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { allTagsQuery, type TagType } from './queries.ts';
import { NewTagTypePanel } from './TagTypeForm.tsx';
import { TagTypePanel } from './TagTypePanel.tsx';
import s from './tags.module.css';

const getKey = ({ name }: TagType): string => name;
const COLUMNS = [
  { label: 'Tag type', compare: (a: TagType, b: TagType) => a.name.localeCompare(b.name) },
  { label: 'Tags' },
  { label: 'Values' },
];
const MAX_SHOWN = 5;

/** The tag types and their tags. */
export function TagsPage() {
  const { data, error, refetch } = useQuery(tagTypesQuery);
  const { data: tags } = useQuery(allTagsQuery);
  const { search, push, replace } = useFilters();
  const byType = useMemo(() => Map.groupBy(tags ?? [], ({ type }) => type), [tags]);
  const open = useCallback(({ name }: TagType) => push({ edit: `type:${name}` }), [push]);
  const getSearchText = useCallback(
    ({ name, description }: TagType) =>
      [name, description, ...(byType.get(name)?.map(({ value }) => value) ?? [])].join('\n'),
    [byType],
  );
  const render = useCallback(
    (type: TagType) => {
      const ownTags = byType.get(type.name) ?? [];
      return (
        <>
          <Cell variant="name">
            <button type="button" className={s.name} onClick={() => open(type)}>
              <Swatch color={type.color} />
              {type.name}
            </button>
            {type.description && <small>{type.description}</small>}
          </Cell>
          <Cell variant="dim">{formatCount(ownTags.length, 'tag')}</Cell>
          <Cell variant="dim">
            {ownTags
              .slice(0, MAX_SHOWN)
              .map(({ value }) => value)
              .join(', ')}
            {ownTags.length > MAX_SHOWN && ' …'}
          </Cell>
        </>
      );
    },
    [byType, open],
  );
  const close = () => replace({ edit: undefined });
  const editedType = data?.find(({ name }) => search.edit === `type:${name}`);
  return (
    <ListPage
      title="Tags"
      noun="tag type"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Type or value"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={render}
      onOpen={open}
      create={{ label: 'New tag type', call: 'createTagType', run: () => push({ edit: 'new' }) }}
      empty="No tag types. A tag is a type and a value, such as team:checkout."
    >
      {search.edit === 'new' && <NewTagTypePanel onClose={close} />}
      {editedType && (
        <TagTypePanel
          key={editedType.name}
          name={editedType.name}
          tags={byType.get(editedType.name) ?? []}
          onClose={close}
        />
      )}
    </ListPage>
  );
}

/** The color of a tag type. */
function Swatch({ color }: { color: string | null }) {
  return color === null ? null : <i className={s.swatch} style={{ background: color }} aria-hidden="true" />;
}
