import type { ReactNode } from 'react';
import s from './Empty.module.css';
import { type FilterField, listFilters, removeFilter, toChip } from './filters.ts';
import type { Search } from './search.ts';

/** A sentence and an action, shown instead of a list that has no rows. */
export function Empty({
  icon,
  children,
  action,
}: {
  icon?: ReactNode;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={s.empty}>
      {icon && <span className={s.icon}>{icon}</span>}
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Says that no row matches the filters, with a button to remove each filter. */
export function NoMatch({
  noun,
  hint,
  search,
  fields,
  onChange,
}: {
  noun: string;
  hint?: string | undefined;
  search: Search;
  fields: readonly FilterField[];
  onChange(next: Search): void;
}) {
  return (
    <div className={s.empty}>
      <p>No {noun} match.</p>
      {hint && <p>{hint}</p>}
      <div className={s.filters}>
        {listFilters(search, fields).map(filter => {
          const { lead, values } = toChip(filter.name, filter.value, fields);
          return (
            <button
              key={filter.name + filter.value}
              type="button"
              onClick={() => onChange(removeFilter(search, filter))}
            >
              Remove “{lead} {values.join(', ')}”
            </button>
          );
        })}
      </div>
    </div>
  );
}
