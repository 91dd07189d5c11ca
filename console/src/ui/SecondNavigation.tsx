import { NativeSelect } from '@mantine/core';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import s from './SecondNavigation.module.css';
import { formatNumber } from './words.ts';

export type NavigationItem = { to: string; label: string; count?: number | undefined };
export type NavigationGroup = {
  /** Without a label, a line separates the group. */
  label?: string;
  items: readonly NavigationItem[];
};

/**
 * Pages with their own navigation, such as project settings: a column at the left, or a select above the page
 * in a narrow window.
 */
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
  const all = groups.flatMap(({ items }) => items);
  const current = currentOf(all, pathname);
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
                activeOptions={{ exact: isPrefix(item, all), includeSearch: false }}
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

/** Whether one item's URL is the beginning of another item's URL. Only one of them may be marked. */
const isPrefix = ({ to }: NavigationItem, all: readonly NavigationItem[]): boolean =>
  all.some(other => other.to.startsWith(`${to}/`));

/** The item of a URL: /admin/users/7 belongs to /admin/users. */
const currentOf = (all: readonly NavigationItem[], pathname: string): NavigationItem | undefined =>
  all
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    .toSorted((one, other) => other.to.length - one.to.length)[0];
