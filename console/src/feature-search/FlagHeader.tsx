// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the list moves the active row
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Env } from '../ui/Env.tsx';
import { HeaderRow } from '../ui/Row.tsx';
import type { Search } from '../ui/search.ts';
import { shortEnvironment } from '../ui/words.ts';
import { COLUMNS, type ColumnId } from './columns.ts';
import type { RowContext } from './FlagRow.tsx';
import { MAX_SELECTED } from './queries.ts';
import s from './search.module.css';

/** The head of the table. A click sorts by the column, a second one reverses it. */
export function FlagHeader({
  context,
  search,
  selected,
  total,
  onSort,
  onSelectAll,
}: {
  context: RowContext;
  search: Search;
  /** The number of selected flags, and of all. */
  selected: number;
  total: number;
  onSort(change: Search): void;
  onSelectAll(isSelected: boolean): void;
}) {
  const most = Math.min(total, MAX_SELECTED);
  const head = (label: string, sortBy: string | undefined) => {
    if (sortBy === undefined) return label;
    const isSorted = search.sortBy === sortBy;
    const isDown = search.sortOrder === 'desc';
    const Arrow = isDown ? ArrowDown : ArrowUp;
    return (
      <button
        type="button"
        onClick={() => onSort({ sortBy, sortOrder: isSorted && !isDown ? 'desc' : 'asc' })}
      >
        {label}
        {isSorted && <Arrow size={12} aria-label={isDown ? 'sorted down' : 'sorted up'} />}
      </button>
    );
  };
  const columns = (ids: readonly ColumnId[]) =>
    COLUMNS.filter(({ id }) => ids.includes(id) && context.columns.includes(id)).map(column => (
      <span key={column.id} role="columnheader">
        {head(column.label, 'sortBy' in column ? column.sortBy : undefined)}
      </span>
    ));
  return (
    <HeaderRow className={s.header} style={{ gridTemplateColumns: context.grid }}>
      <span role="columnheader">
        <input
          ref={input => {
            if (input) input.indeterminate = selected > 0 && selected < most;
          }}
          type="checkbox"
          className={s.select}
          aria-label={total > MAX_SELECTED ? `Select the first ${MAX_SELECTED} flags` : 'Select all flags'}
          checked={selected > 0 && selected >= most}
          onChange={event => onSelectAll(event.target.checked)}
        />
      </span>
      <span role="columnheader">
        <span className="sr">Favorite</span>
      </span>
      <span role="columnheader" className={s.name}>
        {head('Flag', 'name')}
      </span>
      {columns(['project', 'type', 'state'])}
      {context.environments.map(({ name, type }) => (
        <span key={name} role="columnheader" className={s.environment}>
          <Env name={name} type={type} short={shortEnvironment(name)} />
        </span>
      ))}
      {columns(['seen', 'by', 'created'])}
    </HeaderRow>
  );
}
