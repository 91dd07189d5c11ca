import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import s from './applications.module.css';
import { type UnknownFlag, unknownFlagsQuery } from './queries.ts';

const getKey = ({ name }: UnknownFlag): string => name;
const getSearchText = ({ name, reports }: UnknownFlag): string =>
  [name, ...reports.map(({ appName }) => appName)].join('\n');
const listEnvironments = ({ reports }: UnknownFlag): string[] => [
  ...new Set(reports.flatMap(report => report.environments.map(({ environment }) => environment))),
];
const COLUMNS = [
  {
    label: 'Last seen',
    compare: (a: UnknownFlag, b: UnknownFlag) => b.lastSeenAt.localeCompare(a.lastSeenAt),
  },
  {
    label: 'Name',
    compare: (a: UnknownFlag, b: UnknownFlag) => a.name.localeCompare(b.name),
  },
  { label: 'Applications' },
  { label: 'Environments' },
];

/** Lists flags that applications asked for although they do not exist, because of a typo or because they were deleted too early. */
export function UnknownFlagsPage() {
  const { data, error, refetch } = useQuery(unknownFlagsQuery);
  const render = useCallback(
    (flag: UnknownFlag) => (
      <>
        <Cell variant="dim">
          <Time at={flag.lastSeenAt} />
        </Cell>
        <Cell variant="name">
          <span className="mono">{flag.name}</span>
        </Cell>
        <Cell variant="dim">
          {flag.reports.map(({ appName }, index) => (
            <span key={appName}>
              {index > 0 && ', '}
              <Link to="/applications/$appName" params={{ appName }} className={s.link}>
                {appName}
              </Link>
            </span>
          ))}
        </Cell>
        <Cell variant="dim">{listEnvironments(flag).join(', ')}</Cell>
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
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or application"
      columns={COLUMNS}
      className={s.unknown ?? ''}
      render={render}
      empty="All flags that applications asked for in the last 7 days exist."
    />
  );
}
