import { NativeSelect } from '@mantine/core';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import s from './SecondNavigation.module.css';
import { formatNumber } from './words.ts';

export type NavigationItem = { to: string; label: string; count?: number | undefined };
export type NavigationGroup = {
  /** Without a label, the group is separated by a line. */
  label?: string;
  items: readonly NavigationItem[];
};

/** The navigation of pages such as project settings: a column on the left, or a select above the page in a narrow window. */
export function SecondNavigation({
  label,
  title,
  groups,
  children,
}: {
  label: string;
  title?: string;
  groups: readonly NavigationGroup[];
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const allItems = groups.flatMap(({ items }) => items);
  const current = findCurrent(allItems, pathname);
  return (
    <div className={s.frame}>
      <nav className={s.column} aria-label={label}>
        {title && <strong>{title}</strong>}
        {groups.map(group => (
          <section key={group.label ?? ''}>
            {group.label ? <h2>{group.label}</h2> : group !== groups[0] && <hr />}
            {group.items.map(item => (
              <Link
                key={item.to}
                to={item.to}
                className={s.item}
                activeOptions={{ exact: isPrefix(item, allItems), includeSearch: false }}
              >
                <span>{item.label}</span>
                {item.count !== undefined && <em>{formatNumber(item.count)}</em>}
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <div className={s.page}>
        <div className={s.choice}>
          <NativeSelect
            aria-label={label}
            value={current?.to ?? ''}
            data={[
              ...(current ? [] : [{ value: '', label: title ?? label }]),
              ...groups.map(({ label: group = label, items }) => ({
                group,
                items: items.map(item => ({ value: item.to, label: item.label })),
              })),
            ]}
            onChange={event => void navigate({ to: event.target.value })}
          />
        </div>
        {children}
      </div>
    </div>
  );
}

/**
 * Returns whether another item's URL is below this item's URL. If so, this item needs an exact match, so that only one item is
 * marked.
 */
const isPrefix = ({ to }: NavigationItem, allItems: readonly NavigationItem[]): boolean =>
  allItems.some(other => other.to.startsWith(`${to}/`));

/** Finds the item that a URL belongs to. For example, /admin/users/7 belongs to /admin/users. */
const findCurrent = (allItems: readonly NavigationItem[], pathname: string): NavigationItem | undefined =>
  allItems
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    .toSorted((a, b) => b.to.length - a.to.length)[0];
