import { useState } from 'react';

/** The columns that a user may hide. Star, name and environments always show. */
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

/** The visible columns. They belong to the screen of the user, not to what the page shows, so they are not in the address. */
export function useColumns(): { shown: readonly ColumnId[]; toggle(id: ColumnId): void } {
  const [shown, setShown] = useState(read);
  const toggle = (id: ColumnId) => {
    const next = COLUMNS.map(column => column.id).filter(one => shown.includes(one) !== (one === id));
    localStorage.setItem(SETTING, next.join(','));
    setShown(next);
  };
  return { shown, toggle };
}

/** The CSS grid of header and rows. */
export const gridOf = (shown: readonly ColumnId[], environments: number): string => {
  const width = (id: ColumnId) => COLUMNS.find(column => column.id === id)?.width ?? '';
  const before = shown.filter(id => id === 'project' || id === 'type' || id === 'state').map(width);
  const after = shown.filter(id => id === 'seen' || id === 'by' || id === 'created').map(width);
  const toggles = environments > 0 ? [`repeat(${environments}, 74px)`] : [];
  return ['22px', 'minmax(200px, 1fr)', ...before, ...toggles, ...after].join(' ');
};
