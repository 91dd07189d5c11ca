import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { deleteToken, tokensQuery } from '../api-tokens/queries.ts';
import { projectsOf } from '../api-tokens/words.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { Env } from '../ui/Env.tsx';
import { Facts } from '../ui/Facts.tsx';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Detail } from '../ui/Split.tsx';
import { State } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { counted, formatNumber } from '../ui/words.ts';
import s from './edges.module.css';
import { type Enrolment, enrolmentsOf, selectedOf } from './enrolments.ts';
import { type Edge, edgesQuery } from './queries.ts';

const NewEdge = lazy(() =>
  loadChunk(() => import('./NewEdge.tsx')).then(module => ({ default: module.NewEdge })),
);

const keyOf = ({ id }: Enrolment): string => id;
const textOf = ({ tokenName, environment, edge, projects }: Enrolment): string =>
  [tokenName, environment, edge?.version, ...projects].join('\n');
const COLUMNS = [
  {
    label: 'Edge',
    compare: (one: Enrolment, other: Enrolment) => one.tokenName.localeCompare(other.tokenName),
  },
  {
    label: 'Environment',
    compare: (one: Enrolment, other: Enrolment) => one.environment.localeCompare(other.environment),
  },
  {
    label: 'SDKs',
    compare: (one: Enrolment, other: Enrolment) => (other.edge?.instances ?? 0) - (one.edge?.instances ?? 0),
  },
  {
    label: 'Flags',
    compare: (one: Enrolment, other: Enrolment) => (other.edge?.behind ?? 0) - (one.edge?.behind ?? 0),
  },
  { label: 'Status' },
];

const STATES = {
  connected: { tone: 'on', label: 'Connected', words: '' },
  silent: {
    tone: 'warn',
    label: 'Silent',
    words:
      'The edge has not reported for at least 15 seconds. If it is still running, it keeps serving the flags that it has.',
  },
  stopped: { tone: 'off', label: 'Stopped', words: 'The edge reported that it was stopping.' },
  none: {
    tone: 'off',
    label: 'Not started',
    words:
      'No edge has reported with this enrolment in the last day. If you have lost the enrolment, revoke it and create a new one.',
  },
} as const;

function Status({ of: { state } }: { of: Enrolment }) {
  const { tone, label } = STATES[state];
  return <State tone={tone}>{label}</State>;
}

const flagsOf = ({ behind }: Edge): string =>
  behind === 0 ? 'Current' : `${counted(behind, 'revision')} behind`;

/** Edges, and the enrolment of new ones. */
export function EdgesPage() {
  const { search, push, replace } = useFilters();
  const { data: edges, error, refetch } = useQuery(edgesQuery);
  const { data: tokens = [] } = useQuery(tokensQuery(undefined));
  const types = useTypes();
  const rows = useMemo(() => edges && enrolmentsOf(edges, tokens), [edges, tokens]);
  const selected = selectedOf(rows, search.edge);
  const onActive = useCallback(({ id }: Enrolment) => replace({ edge: id }), [replace]);
  const render = useCallback(
    (row: Enrolment) => {
      const { id, tokenName, environment, edge } = row;
      const type = types.get(environment);
      return (
        <>
          <Cell as="name">
            <Link to="." search={(before: Search) => ({ ...before, edge: id })} replace>
              {tokenName}
            </Link>
            <small>
              {edge ? (
                <>
                  {edge.version} · reported <Time at={edge.seenAt} />
                </>
              ) : (
                'no report in the last day'
              )}
            </small>
          </Cell>
          <Cell as="dim">
            <Env name={environment} {...(type && { type })} />
          </Cell>
          <Cell as="dim">{edge && formatNumber(edge.instances)}</Cell>
          <Cell as="dim">{edge && flagsOf(edge)}</Cell>
          <Cell>
            <Status of={row} />
          </Cell>
        </>
      );
    },
    [types],
  );
  return (
    <ListPage
      title="Edges"
      noun="edge"
      rows={rows}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name, environment or version"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      active={selected?.id}
      onActive={onActive}
      onOpen={onActive}
      create={{ label: 'New edge', call: 'createApiToken', run: () => push({ edit: 'new' }) }}
      empty="No edges yet. An edge serves flags near your applications, even while this server is unreachable."
      detail={
        selected && (
          <EdgeDetail
            key={selected.tokenId}
            row={selected}
            shared={edges?.filter(({ tokenId }) => tokenId === selected.tokenId) ?? []}
            onClose={() => replace({ edge: undefined })}
          />
        )
      }
    >
      <Suspense>{search.edit === 'new' && <NewEdge onClose={() => replace({ edit: undefined })} />}</Suspense>
    </ListPage>
  );
}

/** The type of each environment. */
function useTypes(): ReadonlyMap<string, string> {
  const { data } = useQuery(environmentsQuery);
  return useMemo(() => new Map(data?.environments.map(({ name, type }) => [name, type])), [data]);
}

function EdgeDetail({
  row,
  shared,
  onClose,
}: {
  row: Enrolment;
  /** All edges with this enrolment. */
  shared: readonly Edge[];
  onClose(): void;
}) {
  const { data: projects } = useQuery(projectsQuery);
  const type = useTypes().get(row.environment);
  const names = new Map(projects?.map(({ id, name }) => [id, name]));
  const { tokenName, tokenId, edge } = row;
  const { words } = STATES[row.state];
  const revoke = async () => {
    await deleteToken(undefined, { id: tokenId });
    onClose();
    toast({ message: `The enrolment of ${tokenName} is revoked.` });
  };
  const instances = shared.reduce((sum, one) => sum + one.instances, 0);
  return (
    <Detail heading label={tokenName} bar="Edge" link={`/admin/edges?edge=${row.id}`} onClose={onClose}>
      <p className={s.words}>
        <Status of={row} />
        {edge && (
          <>
            {' '}
            Last report <Time at={edge.seenAt} as="full" />.
          </>
        )}{' '}
        {words}
      </p>
      <Facts
        facts={[
          ['Environment', <Env key="" name={row.environment} {...(type && { type })} />],
          ['Projects', projectsOf(row, names)],
          ...(edge
            ? [
                ['Flags', `${flagsOf(edge)}, revision ${formatNumber(edge.revision)}`] as const,
                ['SDK instances', formatNumber(edge.instances)] as const,
                ['Version', edge.version] as const,
              ]
            : []),
          [
            'Token',
            <Link key="" to="/admin/tokens" search={{ token: String(tokenId) }} className={s.link}>
              {tokenName}
            </Link>,
          ],
        ]}
      />
      <DangerZone>
        <DangerAction
          title={`Revoke the enrolment of ${tokenName}`}
          action="Revoke enrolment"
          call="deleteApiToken"
          onConfirm={revoke}
        >
          {shared.length === 0
            ? 'Edges can no longer start with it.'
            : `${shared.length === 1 ? 'The edge rejects' : `The ${shared.length} edges that share it reject`} all SDKs with 401 and ${shared.length === 1 ? 'deletes its' : 'delete their'} flags from disk.${instances > 0 ? ` ${counted(instances, 'SDK instance gets', 'SDK instances get')} no more changes.` : ''}`}
        </DangerAction>
      </DangerZone>
    </Detail>
  );
}
