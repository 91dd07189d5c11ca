import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { tagTypesQuery } from '../features/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import { allTagsQuery, type TagType } from './queries.ts';
import { NewTagTypePanel } from './TagTypeForm.tsx';
import { TagTypePanel } from './TagTypePanel.tsx';
import s from './tags.module.css';

const keyOf = ({ name }: TagType): string => name;
const COLUMNS = [
  { label: 'Tag type', compare: (one: TagType, other: TagType) => one.name.localeCompare(other.name) },
  { label: 'Tags' },
  { label: 'Values' },
];
const SHOWN = 5;

/** The tag types and their tags. */
export function TagsPage() {
  const { data, error, refetch } = useQuery(tagTypesQuery);
  const { data: tags } = useQuery(allTagsQuery);
  const { search, push, replace } = useFilters();
  const byType = useMemo(() => Map.groupBy(tags ?? [], ({ type }) => type), [tags]);
  const open = useCallback(({ name }: TagType) => push({ edit: `type:${name}` }), [push]);
  const textOf = useCallback(
    ({ name, description }: TagType) =>
      [name, description, ...(byType.get(name)?.map(({ value }) => value) ?? [])].join('\n'),
    [byType],
  );
  const render = useCallback(
    (type: TagType) => {
      const own = byType.get(type.name) ?? [];
      return (
        <>
          <Cell as="name">
            <button type="button" className={s.name} onClick={() => open(type)}>
              <Swatch color={type.color} />
              {type.name}
            </button>
            {type.description && <small>{type.description}</small>}
          </Cell>
          <Cell as="dim">{counted(own.length, 'tag')}</Cell>
          <Cell as="dim">
            {own
              .slice(0, SHOWN)
              .map(({ value }) => value)
              .join(', ')}
            {own.length > SHOWN && ' …'}
          </Cell>
        </>
      );
    },
    [byType, open],
  );
  const close = () => replace({ edit: undefined });
  const edited = data?.find(({ name }) => search.edit === `type:${name}`);
  return (
    <ListPage
      title="Tags"
      noun="tag type"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Type or value"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={render}
      onOpen={open}
      create={{ label: 'New tag type', call: 'createTagType', run: () => push({ edit: 'new' }) }}
      empty="No tag types. A tag is a type and a value, such as team:checkout."
    >
      {search.edit === 'new' && <NewTagTypePanel onClose={close} />}
      {edited && (
        <TagTypePanel
          key={edited.name}
          name={edited.name}
          tags={byType.get(edited.name) ?? []}
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
