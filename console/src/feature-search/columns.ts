import { useState, useSyncExternalStore } from 'react';

/** The columns that a user may hide. The checkbox, favorite, name and environment columns are always visible. */
export const COLUMNS = [
  { id: 'project', label: 'Project', width: '112px', sortBy: 'project' },
  { id: 'type', label: 'Type', width: '96px', sortBy: 'type' },
  { id: 'state', label: 'State', width: '120px', sortBy: 'stale' },
  { id: 'stage', label: 'Lifecycle', width: '84px' },
  { id: 'seen', label: 'Seen', width: '82px', sortBy: 'lastSeenAt' },
  { id: 'by', label: 'Creator', width: '116px' },
  { id: 'created', label: 'Created', width: '92px', sortBy: 'createdAt' },
] as const;
export type ColumnId = (typeof COLUMNS)[number]['id'];

const DEFAULT_COLUMNS: readonly ColumnId[] = ['project', 'type', 'state', 'stage', 'seen', 'by'];
const STORAGE_KEY = 'halyard-flag-columns';

function readColumns(): readonly ColumnId[] {
  const storedIds = localStorage.getItem(STORAGE_KEY);
  if (storedIds === null) return DEFAULT_COLUMNS;
  const ids = storedIds.split(',');
  return COLUMNS.map(column => column.id).filter(id => ids.includes(id));
}

/**
 * Returns the columns that the user chose. They are not in the URL, because the choice depends on the user's screen rather than
 * the page.
 */
export function useColumns(): { chosenColumns: readonly ColumnId[]; toggle(id: ColumnId): void } {
  const [chosenColumns, setChosenColumns] = useState(readColumns);
  const toggle = (id: ColumnId) => {
    const columns = COLUMNS.map(column => column.id).filter(
      columnId => chosenColumns.includes(columnId) !== (columnId === id),
    );
    localStorage.setItem(STORAGE_KEY, columns.join(','));
    setChosenColumns(columns);
  };
  return { chosenColumns, toggle };
}

/** The columns to the left and to the right of the toggles. */
export const LEFT_COLUMNS: readonly ColumnId[] = ['project', 'type', 'state', 'stage'];
export const RIGHT_COLUMNS: readonly ColumnId[] = ['seen', 'by', 'created'];

const NAME_WIDTH = 200;
const TOGGLE_WIDTH = 74;
const GAP = 10;
/** The width of the padding, the checkbox and the favorite button. */
const FRAME_WIDTH = 40 + 16 + 22;
/** The columns in the order in which they are hidden. */
const HIDING_ORDER: readonly ColumnId[] = ['created', 'by', 'seen', 'stage', 'type', 'project', 'state'];

/** Hides columns until there is enough room for the name and all toggles. */
export function fitColumns(
  columns: readonly ColumnId[],
  environmentCount: number,
  width: number,
): readonly ColumnId[] {
  const computeWidth = (ids: readonly ColumnId[]) =>
    FRAME_WIDTH +
    NAME_WIDTH +
    environmentCount * TOGGLE_WIDTH +
    ids.reduce(
      (sum, id) => sum + Number.parseInt(COLUMNS.find(column => column.id === id)?.width ?? '0', 10),
      0,
    ) +
    GAP * (2 + environmentCount + ids.length);
  let fittingColumns = columns;
  for (const id of HIDING_ORDER) {
    if (computeWidth(fittingColumns) <= width) break;
    fittingColumns = fittingColumns.filter(columnId => columnId !== id);
  }
  return fittingColumns;
}

const MAX_NARROW_WIDTH = 960;
const onResize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};

/** Returns the width of the page next to the sidebar, or infinity for a narrow window, which scrolls and so fits all columns. */
export const useListWidth = (): number =>
  useSyncExternalStore(onResize, () =>
    innerWidth <= MAX_NARROW_WIDTH
      ? Number.POSITIVE_INFINITY
      : (document.getElementById('main')?.clientWidth ?? innerWidth),
  );

/**
 * Returns the CSS grid of the header and the rows. In a narrow window, the toggles are next to the name, so that users can reach
 * them without scrolling.
 */
export const buildGridTemplate = (
  columns: readonly ColumnId[],
  environmentCount: number,
  isNarrow: boolean,
): string => {
  const width = (id: ColumnId) => COLUMNS.find(column => column.id === id)?.width ?? '';
  const leftColumns = columns.filter(id => LEFT_COLUMNS.includes(id)).map(width);
  const rightColumns = columns.filter(id => RIGHT_COLUMNS.includes(id)).map(width);
  const toggles =
    environmentCount > 0
      ? [`repeat(${environmentCount}, ${isNarrow ? 'var(--flag-toggle, 56px)' : `${TOGGLE_WIDTH}px`})`]
      : [];
  const middle = isNarrow ? [...toggles, ...leftColumns] : [...leftColumns, ...toggles];
  return ['16px', '22px', 'minmax(var(--flag-name, 200px), 1fr)', ...middle, ...rightColumns].join(' ');
};
