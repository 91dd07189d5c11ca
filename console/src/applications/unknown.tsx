import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import s from './applications.module.css';
import { type UnknownFlag, unknownFlagsQuery } from './queries.ts';

const keyOf = ({ name }: UnknownFlag): string => name;
const textOf = ({ name, reports }: UnknownFlag): string =>
  [name, ...reports.map(({ appName }) => appName)].join('\n');
const environmentsOf = ({ reports }: UnknownFlag): string[] => [
  ...new Set(reports.flatMap(one => one.environments.map(({ environment }) => environment))),
];
const COLUMNS = [
  {
    label: 'Last seen',
    compare: (one: UnknownFlag, other: UnknownFlag) => other.lastSeenAt.localeCompare(one.lastSeenAt),
  },
  {
    label: 'Name',
    compare: (one: UnknownFlag, other: UnknownFlag) => one.name.localeCompare(other.name),
  },
  { label: 'Applications' },
  { label: 'Environments' },
];

/** The names that applications asked for in the last 7 days and that no flag has: a typo, or a flag that was deleted too early. */
export function UnknownFlagsPage() {
  const { data, error, refetch } = useQuery(unknownFlagsQuery);
  const render = useCallback(
    (flag: UnknownFlag) => (
      <>
        <Cell as="dim">
          <Time at={flag.lastSeenAt} />
        </Cell>
        <Cell as="name">
          <span className="mono">{flag.name}</span>
        </Cell>
        <Cell as="dim">
          {flag.reports.map(({ appName }, index) => (
            <span key={appName}>
              {index > 0 && ', '}
              <Link to="/applications/$appName" params={{ appName }} className={s.link}>
                {appName}
              </Link>
            </span>
          ))}
        </Cell>
        <Cell as="dim">{environmentsOf(flag).join(', ')}</Cell>
      </>
    ),
    [],
  );
  return (
    <ListPage
      title="Unknown flags"
      noun="unknown flag"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or application"
      columns={COLUMNS}
      className={s.unknown ?? ''}
      render={render}
      empty="All names that applications asked for in the last 7 days are existing flags."
    />
  );
}
