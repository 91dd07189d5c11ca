import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import s from './Tabs.module.css';

/** Scrolls to the active tab. On a narrow screen, counts that load later can push it out of view. */
const showActive = (row: HTMLElement | null) => {
  row?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};

/** The tabs of a page, which are links so that every tab has a URL. Pass them to Page as part of `head`. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { to: string; label: string; count?: ReactNode }[];
}) {
  return (
    // An inline function, because React calls a new ref function after every render.
    <nav ref={row => showActive(row)} className={s.tabs} aria-label={label}>
      {tabs.map(tab => (
        <Link
          key={tab.to}
          to={tab.to}
          className={s.tab}
          // One tab's URL can be the prefix of another's, but only one of them may be marked as active.
          activeOptions={{
            exact: tabs.some(other => other.to.startsWith(`${tab.to}/`)),
            includeSearch: false,
          }}
        >
          {tab.label}
          {tab.count !== undefined && <em>{tab.count}</em>}
        </Link>
      ))}
    </nav>
  );
}
