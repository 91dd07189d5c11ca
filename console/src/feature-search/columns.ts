import { useState, useSyncExternalStore } from 'react';

/** The columns that a user may hide. Checkbox, favorite, name and environments always show. */
export const COLUMNS = [
  { id: 'project', label: 'Project', width: '112px', sortBy: 'project' },
  { id: 'type', label: 'Type', width: '96px', sortBy: 'type' },
  { id: 'state', label: 'State', width: '92px', sortBy: 'stale' },
  { id: 'seen', label: 'Seen', width: '82px', sortBy: 'lastSeenAt' },
  { id: 'by', label: 'By', width: '104px' },
  { id: 'created', label: 'Created', width: '92px', sortBy: 'createdAt' },
] as const;
export type ColumnId = (typeof COLUMNS)[number]['id'];

const DEFAULT: readonly ColumnId[] = ['project', 'type', 'state', 'seen', 'by'];
const SETTING = 'halyard-flag-columns';

function read(): readonly ColumnId[] {
  const saved = localStorage.getItem(SETTING);
  if (saved === null) return DEFAULT;
  const ids = saved.split(',');
  return COLUMNS.map(column => column.id).filter(id => ids.includes(id));
}

/** The visible columns. They belong to the screen of the user, not to what the page shows, so they are not in the URL. */
export function useColumns(): { shown: readonly ColumnId[]; toggle(id: ColumnId): void } {
  const [shown, setShown] = useState(read);
  const toggle = (id: ColumnId) => {
    const next = COLUMNS.map(column => column.id).filter(one => shown.includes(one) !== (one === id));
    localStorage.setItem(SETTING, next.join(','));
    setShown(next);
  };
  return { shown, toggle };
}

const NAME_WIDTH = 200;
const TOGGLE_WIDTH = 74;
const NARROW_TOGGLE = 56;
const GAP = 10;
/** Padding, checkbox and favorite. */
const FRAME_WIDTH = 40 + 16 + 22;
/** The first one is hidden first. */
const LEAST_IMPORTANT: readonly ColumnId[] = ['created', 'by', 'seen', 'type', 'project', 'state'];

/** The columns that leave room for the name and all toggles. */
export function fittingColumns(
  shown: readonly ColumnId[],
  environments: number,
  width: number,
): readonly ColumnId[] {
  const widthOf = (ids: readonly ColumnId[]) =>
    FRAME_WIDTH +
    NAME_WIDTH +
    environments * TOGGLE_WIDTH +
    ids.reduce(
      (sum, id) => sum + Number.parseInt(COLUMNS.find(column => column.id === id)?.width ?? '0', 10),
      0,
    ) +
    GAP * (2 + environments + ids.length);
  let fitting = shown;
  for (const id of LEAST_IMPORTANT) {
    if (widthOf(fitting) <= width) break;
    fitting = fitting.filter(one => one !== id);
  }
  return fitting;
}

const NARROW = 960;
const onResize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};

/** The width of the page next to the sidebar. A narrow window scrolls under the names, so all columns fit. */
export const useListWidth = (): number =>
  useSyncExternalStore(onResize, () =>
    innerWidth <= NARROW
      ? Number.POSITIVE_INFINITY
      : (document.getElementById('main')?.clientWidth ?? innerWidth),
  );

/** The CSS grid of header and rows. A narrow window has the toggles next to the name, where they need no scrolling. */
export const gridOf = (shown: readonly ColumnId[], environments: number, isNarrow: boolean): string => {
  const width = (id: ColumnId) => COLUMNS.find(column => column.id === id)?.width ?? '';
  const before = shown.filter(id => id === 'project' || id === 'type' || id === 'state').map(width);
  const after = shown.filter(id => id === 'seen' || id === 'by' || id === 'created').map(width);
  const toggles =
    environments > 0 ? [`repeat(${environments}, ${isNarrow ? NARROW_TOGGLE : TOGGLE_WIDTH}px)`] : [];
  const middle = isNarrow ? [...toggles, ...before] : [...before, ...toggles];
  return ['16px', '22px', 'minmax(var(--flag-name, 200px), 1fr)', ...middle, ...after].join(' ');
};
