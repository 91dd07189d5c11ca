import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { deleteToken, tokensQuery } from '../api-tokens/queries.ts';
import { formatProjects } from '../api-tokens/words.ts';
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
import { formatCount, formatNumber } from '../ui/words.ts';
import s from './edges.module.css';
import { type EdgeRow, findSelected, listEdgeRows } from './enrolments.ts';
import { type Edge, edgesQuery } from './queries.ts';

const NewEdge = lazy(() =>
  loadChunk(() => import('./NewEdge.tsx')).then(module => ({ default: module.NewEdge })),
);

const getKey = ({ id }: EdgeRow): string => id;
const getSearchText = ({ tokenName, environment, edge, projects }: EdgeRow): string =>
  [tokenName, environment, edge?.version, ...projects].join('\n');
const COLUMNS = [
  {
    label: 'Edge',
    compare: (a: EdgeRow, b: EdgeRow) => a.tokenName.localeCompare(b.tokenName),
  },
  {
    label: 'Environment',
    compare: (a: EdgeRow, b: EdgeRow) => a.environment.localeCompare(b.environment),
  },
  {
    label: 'SDKs',
    compare: (a: EdgeRow, b: EdgeRow) => (b.edge?.instances ?? 0) - (a.edge?.instances ?? 0),
  },
  {
    label: 'Flags',
    compare: (a: EdgeRow, b: EdgeRow) => (b.edge?.behind ?? 0) - (a.edge?.behind ?? 0),
  },
  { label: 'Status' },
];

const STATES = {
  connected: { tone: 'on', label: 'Connected', explanation: '' },
  silent: {
    tone: 'warn',
    label: 'Silent',
    explanation:
      'The edge has not reported for at least 15 seconds. If it is still running, it keeps serving the flags that it has.',
  },
  stopped: { tone: 'off', label: 'Stopped', explanation: 'The edge reported that it was stopping.' },
  none: {
    tone: 'off',
    label: 'Not started',
    explanation:
      'No edge has reported with this enrolment in the last day. If you have lost the enrolment, revoke it and create a new one.',
  },
} as const;

function Status({ row: { state } }: { row: EdgeRow }) {
  const { tone, label } = STATES[state];
  return <State tone={tone}>{label}</State>;
}

const formatProgress = ({ behind }: Edge): string =>
  behind === 0 ? 'Current' : `${formatCount(behind, 'revision')} behind`;

/** Lists edges, and enrols new edges. */
export function EdgesPage() {
  const { search, push, replace } = useFilters();
  const { data: edges, error, refetch } = useQuery(edgesQuery);
  const { data: tokens = [] } = useQuery(tokensQuery(undefined));
  const environmentTypes = useEnvironmentTypes();
  const rows = useMemo(() => edges && listEdgeRows(edges, tokens), [edges, tokens]);
  const selectedRow = findSelected(rows, search.edge);
  const onActive = useCallback(({ id }: EdgeRow) => replace({ edge: id }), [replace]);
  const render = useCallback(
    (row: EdgeRow) => {
      const { id, tokenName, environment, edge } = row;
      const type = environmentTypes.get(environment);
      return (
        <>
          <Cell variant="name">
            <Link to="." search={(current: Search) => ({ ...current, edge: id })} replace>
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
          <Cell variant="dim">
            <Env name={environment} {...(type && { type })} />
          </Cell>
          <Cell variant="dim">{edge && formatNumber(edge.instances)}</Cell>
          <Cell variant="dim">{edge && formatProgress(edge)}</Cell>
          <Cell>
            <Status row={row} />
          </Cell>
        </>
      );
    },
    [environmentTypes],
  );
  return (
    <ListPage
      title="Edges"
      noun="edge"
      rows={rows}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name, environment or version"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      activeKey={selectedRow?.id}
      onActive={onActive}
      onOpen={onActive}
      create={{ label: 'New edge', call: 'createApiToken', run: () => push({ edit: 'new' }) }}
      empty="No edges yet. An edge serves flags near your applications, even while this server is unreachable."
      detail={
        selectedRow && (
          <EdgeDetail
            key={selectedRow.tokenId}
            row={selectedRow}
            enrolledEdges={edges?.filter(({ tokenId }) => tokenId === selectedRow.tokenId) ?? []}
            onClose={() => replace({ edge: undefined })}
          />
        )
      }
    >
      <Suspense>{search.edit === 'new' && <NewEdge onClose={() => replace({ edit: undefined })} />}</Suspense>
    </ListPage>
  );
}

/** Returns the type of each environment. */
function useEnvironmentTypes(): ReadonlyMap<string, string> {
  const { data } = useQuery(environmentsQuery);
  return useMemo(() => new Map(data?.environments.map(({ name, type }) => [name, type])), [data]);
}

function EdgeDetail({
  row,
  enrolledEdges,
  onClose,
}: {
  row: EdgeRow;
  /** All edges with this enrolment. */
  enrolledEdges: readonly Edge[];
  onClose(): void;
}) {
  const { data: projects } = useQuery(projectsQuery);
  const type = useEnvironmentTypes().get(row.environment);
  const projectNames = new Map(projects?.map(({ id, name }) => [id, name]));
  const { tokenName, tokenId, edge } = row;
  const { explanation } = STATES[row.state];
  const revoke = async () => {
    await deleteToken(undefined, { id: tokenId });
    onClose();
    toast({ message: `Revoked the enrolment of ${tokenName}.` });
  };
  const instanceCount = enrolledEdges.reduce((sum, { instances }) => sum + instances, 0);
  return (
    <Detail heading label={tokenName} bar="Edge" link={`/admin/edges?edge=${row.id}`} onClose={onClose}>
      <p className={s.words}>
        <Status row={row} />
        {edge && (
          <>
            {' '}
            Last report <Time at={edge.seenAt} format="full" />.
          </>
        )}{' '}
        {explanation}
      </p>
      <Facts
        facts={[
          ['Environment', <Env key="" name={row.environment} {...(type && { type })} />],
          ['Projects', formatProjects(row, projectNames)],
          ...(edge
            ? [
                ['Flags', `${formatProgress(edge)}, revision ${formatNumber(edge.revision)}`] as const,
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
          {enrolledEdges.length === 0
            ? 'Edges can no longer start with it.'
            : `${enrolledEdges.length === 1 ? 'The edge rejects' : `The ${enrolledEdges.length} edges that share it reject`} all SDKs with 401 and ${enrolledEdges.length === 1 ? 'deletes its' : 'delete their'} flags from disk.${instanceCount > 0 ? ` ${formatCount(instanceCount, 'SDK instance gets', 'SDK instances get')} no further changes.` : ''}`}
        </DangerAction>
      </DangerZone>
    </Detail>
  );
}
