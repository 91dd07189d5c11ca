import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import s from './api-tokens.module.css';
import { type ApiToken, type TokenUse, tokensQuery, usesQuery } from './queries.ts';
import { TokenDetail } from './TokenDetail.tsx';
import { isExpired, isUnused, projectsOf, typeOf } from './words.ts';

const keyOf = ({ id }: ApiToken): string => String(id);
const COLUMNS = [
  {
    label: 'Token',
    compare: (one: ApiToken, other: ApiToken) => one.tokenName.localeCompare(other.tokenName),
  },
  {
    label: 'Last seen',
    compare: (one: ApiToken, other: ApiToken) => (one.seenAt ?? '').localeCompare(other.seenAt ?? ''),
  },
  { label: 'Environment' },
  { label: 'Projects' },
  { label: 'Type' },
];

/** The API tokens of the instance. */
export const TokensPage = () => <Tokens />;

/** API tokens: all that the user may read, or those of a project. `${path}/new` creates one. */
export function Tokens({ project, path = '/admin/tokens' }: { project?: string; path?: string }) {
  const { data, error, refetch } = useQuery(tokensQuery(project));
  const { data: uses } = useQuery(usesQuery);
  const { data: projects } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const types = useMemo(
    () => new Map(environments?.environments.map(({ name, type }) => [name, type])),
    [environments],
  );
  const render = useCallback(
    (token: ApiToken) => <TokenRow token={token} names={names} types={types} used={uses?.get(token.id)} />,
    [names, types, uses],
  );
  const textOf = useCallback(
    (token: ApiToken) =>
      [
        token.tokenName,
        typeOf(token),
        token.environment,
        projectsOf(token, names),
        ...(uses?.get(token.id)?.map(({ appName }) => appName) ?? []),
      ].join('\n'),
    [names, uses],
  );
  const unused = useMemo(() => data?.filter(token => isUnused(token)).length, [data]);
  const selected = data?.find(token => keyOf(token) === search.token);
  const showAll = () => push({ state: undefined });
  return (
    <ListPage
      title="API tokens"
      noun="token"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name, project or application"
      columns={COLUMNS}
      className={s.columns ?? ''}
      height={52}
      render={render}
      active={typeof search.token === 'string' ? search.token : undefined}
      onActive={token => replace({ token: keyOf(token) })}
      onOpen={token => replace({ token: keyOf(token) })}
      create={{
        label: 'New token',
        call: project === undefined ? 'createApiToken' : 'createProjectApiToken',
        project,
        run: () => void navigate({ to: `${path}/new` }),
      }}
      filters={
        <SegmentedControl
          aria-label="Use"
          value={search.state === 'unused' ? 'unused' : 'all'}
          data={[
            { value: 'all', label: `All ${data?.length ?? ''}` },
            { value: 'unused', label: `Unused for 30 days ${unused ?? ''}` },
          ]}
          onChange={value => push({ state: value === 'unused' ? value : undefined })}
        />
      }
      filter={
        search.state === 'unused'
          ? { label: 'Unused for 30 days', matches: isUnusedNow, onRemove: showAll }
          : undefined
      }
      empty="No API tokens yet. An SDK needs a token for its environment."
      detail={
        selected && (
          <TokenDetail
            key={selected.id}
            token={selected}
            project={project}
            path={path}
            names={names}
            used={uses?.get(selected.id)}
            onClose={() => replace({ token: undefined })}
          />
        )
      }
    />
  );
}

const isUnusedNow = (token: ApiToken): boolean => isUnused(token);

function TokenRow({
  token,
  names,
  types,
  used = [],
}: {
  token: ApiToken;
  names: ReadonlyMap<string, string>;
  types: ReadonlyMap<string, string>;
  used: readonly TokenUse[] | undefined;
}) {
  const { environment } = token;
  const type = environment === null ? undefined : types.get(environment);
  return (
    <>
      <Cell className={s.name}>
        <b>{token.tokenName}</b>
        <small className="mono">{token.secret}</small>
      </Cell>
      <Cell className={s.seen}>
        <span>
          {token.seenAt ? <Time at={token.seenAt} /> : 'never'}{' '}
          {isExpired(token) ? (
            <State tone="off">Expired</State>
          ) : (
            isUnused(token) && <State tone="warn">Unused for 30 days</State>
          )}
        </span>
        {used.length > 0 && <small>{used.map(({ appName }) => appName).join(', ')}</small>}
      </Cell>
      <Cell as="dim">
        {environment === null ? 'All environments' : <Env name={environment} {...(type && { type })} />}
      </Cell>
      <Cell as="dim">{projectsOf(token, names)}</Cell>
      <Cell as="dim">{typeOf(token)}</Cell>
    </>
  );
}
