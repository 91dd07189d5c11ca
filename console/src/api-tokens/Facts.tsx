import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { environmentsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { Facts as List } from '../ui/Facts.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import s from './api-tokens.module.css';
import type { ApiToken } from './queries.ts';
import { getTypeLabel, isExpired, isForAllProjects, isUnused } from './words.ts';

/** Lists a token's properties. */
export function Facts({
  token,
  projectNames,
}: {
  token: ApiToken;
  projectNames: ReadonlyMap<string, string>;
}) {
  const { environments = [] } = useQuery(environmentsQuery).data ?? {};
  const type = environments.find(({ name }) => name === token.environment)?.type;
  return (
    <List
      facts={[
        ['Type', getTypeLabel(token)],
        [
          'Environment',
          token.environment === null ? (
            'All environments'
          ) : (
            <Env key="" name={token.environment} {...(type !== undefined && { type })} />
          ),
        ],
        [
          'Projects',
          isForAllProjects(token)
            ? 'All projects'
            : token.projects.map((projectId, index) => (
                <span key={projectId}>
                  {index > 0 && ', '}
                  <Link to="/projects/$projectId" params={{ projectId }} className={s.link}>
                    {projectNames.get(projectId) ?? projectId}
                  </Link>
                </span>
              )),
        ],
        [
          'Expires',
          <>
            {token.expiresAt ? <Time at={token.expiresAt} format="date" /> : 'never'}{' '}
            {isExpired(token) && <State tone="off">Expired</State>}
          </>,
        ],
        [
          'Last seen',
          <>
            {token.seenAt ? <Time at={token.seenAt} /> : 'never'}{' '}
            {isUnused(token) && <State tone="warn">Unused for 30 days</State>}
          </>,
        ],
        ['Created', <Time key="" at={token.createdAt} />],
      ]}
    />
  );
}
