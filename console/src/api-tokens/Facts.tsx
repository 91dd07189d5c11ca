import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { environmentsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import s from './api-tokens.module.css';
import type { ApiToken } from './queries.ts';
import { isExpired, isForAllProjects, isUnused, typeOf } from './words.ts';

/** What a token is for. */
export function Facts({ token, names }: { token: ApiToken; names: ReadonlyMap<string, string> }) {
  const { environments = [] } = useQuery(environmentsQuery).data ?? {};
  const type = environments.find(({ name }) => name === token.environment)?.type;
  return (
    <dl className={s.facts}>
      <dt>Type</dt>
      <dd>{typeOf(token)}</dd>
      <dt>Environment</dt>
      <dd>
        {token.environment === null ? (
          'All environments'
        ) : (
          <Env name={token.environment} {...(type !== undefined && { type })} />
        )}
      </dd>
      <dt>Projects</dt>
      <dd>
        {isForAllProjects(token)
          ? 'All projects'
          : token.projects.map((projectId, index) => (
              <span key={projectId}>
                {index > 0 && ', '}
                <Link to="/projects/$projectId" params={{ projectId }} className={s.link}>
                  {names.get(projectId) ?? projectId}
                </Link>
              </span>
            ))}
      </dd>
      <dt>Expires</dt>
      <dd>
        {token.expiresAt ? <Time at={token.expiresAt} as="date" /> : 'never'}{' '}
        {isExpired(token) && <State tone="off">Expired</State>}
      </dd>
      <dt>Last seen</dt>
      <dd>
        {token.seenAt ? <Time at={token.seenAt} /> : 'never'}{' '}
        {isUnused(token) && <State tone="warn">Unused for 30 days</State>}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={token.createdAt} />
      </dd>
    </dl>
  );
}
