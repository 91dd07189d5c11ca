// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which marks the active row
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Env } from '../ui/Env.tsx';
import { HeaderRow } from '../ui/Row.tsx';
import type { Search } from '../ui/search.ts';
import { shortenEnvironment } from '../ui/words.ts';
import { COLUMNS, type ColumnId, LEFT_COLUMNS, RIGHT_COLUMNS } from './columns.ts';
import type { RowContext } from './FlagRow.tsx';
import { MAX_SELECTED } from './queries.ts';
import s from './search.module.css';

/** The table header. A click on a column sorts by it, and a second click reverses the order. */
export function FlagHeader({
  context,
  search,
  selectedCount,
  totalCount,
  onSort,
  onSelectAll,
}: {
  context: RowContext;
  search: Search;
  selectedCount: number;
  totalCount: number;
  onSort(change: Search): void;
  onSelectAll(isSelected: boolean): void;
}) {
  const maxSelected = Math.min(totalCount, MAX_SELECTED);
  const renderHead = (label: string, sortBy: string | undefined) => {
    if (sortBy === undefined) return label;
    const isSorted = search.sortBy === sortBy;
    const isDescending = search.sortOrder === 'desc';
    const Arrow = isDescending ? ArrowDown : ArrowUp;
    return (
      <button
        type="button"
        onClick={() => onSort({ sortBy, sortOrder: isSorted && !isDescending ? 'desc' : 'asc' })}
      >
        {label}
        {isSorted && <Arrow size={12} aria-label={isDescending ? 'sorted descending' : 'sorted ascending'} />}
      </button>
    );
  };
  const renderColumns = (ids: readonly ColumnId[]) =>
    COLUMNS.filter(({ id }) => ids.includes(id) && context.columns.includes(id)).map(column => (
      <span key={column.id} role="columnheader">
        {renderHead(column.label, 'sortBy' in column ? column.sortBy : undefined)}
      </span>
    ));
  return (
    <HeaderRow className={s.header} style={{ gridTemplateColumns: context.grid }}>
      <span role="columnheader">
        <input
          ref={input => {
            if (input) input.indeterminate = selectedCount > 0 && selectedCount < maxSelected;
          }}
          type="checkbox"
          className={s.select}
          aria-label={
            totalCount > MAX_SELECTED ? `Select the first ${MAX_SELECTED} flags` : 'Select all flags'
          }
          checked={selectedCount > 0 && selectedCount >= maxSelected}
          onChange={event => onSelectAll(event.target.checked)}
        />
      </span>
      <span role="columnheader">
        <span className="sr">Favorite</span>
      </span>
      <span role="columnheader" className={s.name}>
        {renderHead('Flag', 'name')}
      </span>
      {renderColumns(LEFT_COLUMNS)}
      {context.environments.map(({ name, type }) => (
        <span key={name} role="columnheader" className={s.environment}>
          <Env name={name} type={type} short={shortenEnvironment(name)} />
        </span>
      ))}
      {renderColumns(RIGHT_COLUMNS)}
    </HeaderRow>
  );
}
