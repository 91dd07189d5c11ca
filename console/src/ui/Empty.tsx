import type { ReactNode } from 'react';
import s from './Empty.module.css';
import { chipOf, type FilterField, filtersOf, removeFilter } from './filters.ts';
import type { Search } from './search.ts';

/** A list without rows: one sentence and one action. */
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

/** No row matches the filters: one button per filter that removes it. */
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
        {filtersOf(search, fields).map(filter => {
          const { lead, values } = chipOf(filter.name, filter.value, fields);
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
