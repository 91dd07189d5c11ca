import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { formatNumber } from '../ui/words.ts';
import s from './administration.module.css';
import { type Entry, entriesOf, entryAt, groupsOf } from './navigation.ts';
import { statisticsQuery } from './queries.ts';

/** The pages of the administration with their own navigation: a column, or a select in a narrow window. */
export function AdministrationFrame() {
  const entries = entriesOf(useMe());
  return (
    <div className={s.admin}>
      <Column entries={entries} />
      <div className={s.page}>
        <Choice entries={entries} />
        <Outlet />
      </div>
    </div>
  );
}

function Column({ entries }: { entries: readonly Entry[] }) {
  const me = useMe();
  const { data: statistics } = useQuery({
    ...statisticsQuery,
    enabled: can(me, 'getInstanceStatistics'),
  });
  return (
    <nav className={s.column} aria-label="Administration">
      <strong>Administration</strong>
      {groupsOf(entries).map(([group, members]) => (
        <section key={group} aria-label={group}>
          {group === 'Instance' ? <hr /> : <h2>{group}</h2>}
          {members.map(({ label, path, count }) => (
            <Link key={path} to={path} className={s.item} activeOptions={{ includeSearch: false }}>
              <span>{label}</span>
              {statistics && count && <em>{formatNumber(count(statistics))}</em>}
            </Link>
          ))}
        </section>
      ))}
    </nav>
  );
}

function Choice({ entries }: { entries: readonly Entry[] }) {
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <div className={s.choice}>
      <NativeSelect
        aria-label="Page of the administration"
        value={entryAt(entries, pathname)?.path ?? ''}
        data={[
          ...(entryAt(entries, pathname) ? [] : [{ value: '', label: 'Administration' }]),
          ...groupsOf(entries).map(([group, members]) => ({
            group,
            items: members.map(({ label, path }) => ({ value: path, label })),
          })),
        ]}
        onChange={event => void navigate({ to: event.target.value })}
      />
    </div>
  );
}
