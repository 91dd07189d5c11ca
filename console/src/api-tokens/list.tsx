import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import s from './api-tokens.module.css';
import { type ApiToken, applicationsByTokenQuery, type TokenUse, tokensQuery } from './queries.ts';
import { TokenDetail } from './TokenDetail.tsx';
import {
  formatProjects,
  getTypeLabel,
  isExpired,
  isExpiringSoon,
  isUnused,
  SOON_DAYS,
  UNUSED_DAYS,
} from './words.ts';

const getKey = ({ id }: ApiToken): string => String(id);
/** Tokens that never expire are last. */
const toExpiryTime = ({ expiresAt }: ApiToken): number =>
  expiresAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(expiresAt);
const COLUMNS = [
  {
    label: 'Token',
    compare: (a: ApiToken, b: ApiToken) => a.tokenName.localeCompare(b.tokenName),
  },
  {
    label: 'Last seen',
    compare: (a: ApiToken, b: ApiToken) => (a.seenAt ?? '').localeCompare(b.seenAt ?? ''),
  },
  {
    label: 'Expires',
    compare: (a: ApiToken, b: ApiToken) => toExpiryTime(a) - toExpiryTime(b),
  },
  { label: 'Environment' },
  { label: 'Projects' },
  { label: 'Type' },
];

/** The states that the list can be limited to. */
const STATES = [
  { value: 'unused', label: `Unused for ${UNUSED_DAYS} days`, matches: (token: ApiToken) => isUnused(token) },
  {
    value: 'expiring',
    label: `Expires within ${SOON_DAYS} days`,
    matches: (token: ApiToken) => isExpiringSoon(token),
  },
];

/** Lists all API tokens that the user may read. */
export const TokensPage = () => <Tokens />;

/** Lists a project's tokens, or all tokens. New tokens are created at `${path}/new`. */
export function Tokens({ project, path = '/admin/tokens' }: { project?: string; path?: string }) {
  const { data, error, refetch } = useQuery(tokensQuery(project));
  const { data: applicationsByToken } = useQuery(applicationsByTokenQuery);
  const { data: projects } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const mayReadAccounts = can(useMe(), 'getServiceAccounts');
  const projectNames = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const environmentTypes = useMemo(
    () => new Map(environments?.environments.map(({ name, type }) => [name, type])),
    [environments],
  );
  const render = useCallback(
    (token: ApiToken) => (
      <TokenRow
        token={token}
        projectNames={projectNames}
        environmentTypes={environmentTypes}
        applications={applicationsByToken?.get(token.id)}
      />
    ),
    [projectNames, environmentTypes, applicationsByToken],
  );
  const getSearchText = useCallback(
    (token: ApiToken) =>
      [
        token.tokenName,
        getTypeLabel(token),
        token.environment,
        formatProjects(token, projectNames),
        ...(applicationsByToken?.get(token.id)?.map(({ appName }) => appName) ?? []),
      ].join('\n'),
    [projectNames, applicationsByToken],
  );
  const counts = useMemo(() => STATES.map(({ matches }) => data?.filter(matches).length ?? ''), [data]);
  const state = STATES.find(({ value }) => value === search.state);
  const selectedToken = data?.find(token => getKey(token) === search.token);
  const showAll = () => push({ state: undefined });
  return (
    <ListPage
      title="API tokens"
      noun="token"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name, project or application"
      columns={COLUMNS}
      className={s.columns ?? ''}
      height={52}
      render={render}
      activeKey={typeof search.token === 'string' ? search.token : undefined}
      onActive={token => replace({ token: getKey(token) })}
      onOpen={token => replace({ token: getKey(token) })}
      create={{
        label: 'New token',
        call: project === undefined ? 'createApiToken' : 'createProjectApiToken',
        project,
        run: () => void navigate({ to: `${path}/new` }),
      }}
      filters={
        <>
          <SegmentedControl
            aria-label="State"
            value={state?.value ?? 'all'}
            data={[
              { value: 'all', label: `All ${data?.length ?? ''}` },
              ...STATES.map(({ value, label }, index) => ({ value, label: `${label} ${counts[index]}` })),
            ]}
            onChange={value => push({ state: value === 'all' ? undefined : value })}
          />
          {project === undefined && mayReadAccounts && (
            <span className="muted">
              To find the token of a service account, open{' '}
              <Link to="/admin/service-accounts" className={s.link}>
                service accounts
              </Link>
              .
            </span>
          )}
        </>
      }
      filter={state && { label: state.label, matches: state.matches, onRemove: showAll }}
      empty="No API tokens yet. An SDK needs a token for its environment."
      detail={
        selectedToken && (
          <TokenDetail
            key={selectedToken.id}
            token={selectedToken}
            project={project}
            path={path}
            projectNames={projectNames}
            applications={applicationsByToken?.get(selectedToken.id)}
            onClose={() => replace({ token: undefined })}
          />
        )
      }
    />
  );
}

function TokenRow({
  token,
  projectNames,
  environmentTypes,
  applications = [],
}: {
  token: ApiToken;
  projectNames: ReadonlyMap<string, string>;
  environmentTypes: ReadonlyMap<string, string>;
  applications: readonly TokenUse[] | undefined;
}) {
  const { environment } = token;
  const type = environment === null ? undefined : environmentTypes.get(environment);
  return (
    <>
      <Cell className={s.name}>
        <b>{token.tokenName}</b>
        <small className="mono">{token.secret}</small>
      </Cell>
      <Cell className={s.seen}>
        <span>
          {token.seenAt ? <Time at={token.seenAt} /> : 'never'}{' '}
          {!isExpired(token) && isUnused(token) && (
            <State tone="warn">{`Unused for ${UNUSED_DAYS} days`}</State>
          )}
        </span>
        {applications.length > 0 && <small>{applications.map(({ appName }) => appName).join(', ')}</small>}
      </Cell>
      <Cell variant="dim">
        <Expiry token={token} />
      </Cell>
      <Cell variant="dim">
        {environment === null ? 'All environments' : <Env name={environment} {...(type && { type })} />}
      </Cell>
      <Cell variant="dim">{formatProjects(token, projectNames)}</Cell>
      <Cell variant="dim">{getTypeLabel(token)}</Cell>
    </>
  );
}

function Expiry({ token }: { token: ApiToken }) {
  if (token.expiresAt === null) return 'never';
  if (isExpired(token)) return <State tone="off">Expired</State>;
  const day = <Time at={token.expiresAt} format="date" />;
  return isExpiringSoon(token) ? <State tone="warn">{day}</State> : day;
}
