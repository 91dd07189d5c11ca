import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Detail } from '../ui/Split.tsx';
import { State } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted, formatNumber } from '../ui/words.ts';
import s from './edges.module.css';
import { NewEdge } from './NewEdge.tsx';
import { type Edge, edgesQuery } from './queries.ts';

const keyOf = ({ id }: Edge): string => id;
const textOf = ({ tokenName, environment, version, projects }: Edge): string =>
  [tokenName, environment, version, ...projects].join('\n');
const COLUMNS = [
  {
    label: 'Edge',
    compare: (one: Edge, other: Edge) => one.tokenName.localeCompare(other.tokenName),
  },
  {
    label: 'Environment',
    compare: (one: Edge, other: Edge) => one.environment.localeCompare(other.environment),
  },
  { label: 'Instances', compare: (one: Edge, other: Edge) => other.instances - one.instances },
  { label: 'Flags', compare: (one: Edge, other: Edge) => other.behind - one.behind },
  { label: 'Status' },
];

const STATES = {
  connected: { tone: 'on', label: 'Connected' },
  silent: { tone: 'warn', label: 'Silent' },
  stopped: { tone: 'off', label: 'Stopped' },
} as const;

function Status({ edge: { state } }: { edge: Edge }) {
  const { tone, label } = STATES[state];
  return <State tone={tone}>{label}</State>;
}

const flagsOf = ({ behind }: Edge): string =>
  behind === 0 ? 'Current' : `${counted(behind, 'revision')} behind`;

const render = (edge: Edge) => (
  <>
    <Cell as="name">
      <Link to="." search={(before: Search) => ({ ...before, edge: edge.id })} replace>
        {edge.tokenName}
      </Link>
      <small>
        {edge.version} · reported <Time at={edge.seenAt} />
      </small>
    </Cell>
    <Cell as="dim">{edge.environment}</Cell>
    <Cell as="dim">{formatNumber(edge.instances)}</Cell>
    <Cell as="dim">{flagsOf(edge)}</Cell>
    <Cell>
      <Status edge={edge} />
    </Cell>
  </>
);

/** Edges that reported in the last day, and the enrolment of new ones. */
export function EdgesPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(edgesQuery);
  const selected = data?.find(({ id }) => id === search.edge);
  const onActive = useCallback((edge: Edge) => replace({ edge: edge.id }), [replace]);
  return (
    <ListPage
      title="Edges"
      noun="edge"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name, environment or version"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      active={typeof search.edge === 'string' ? search.edge : undefined}
      onActive={onActive}
      onOpen={onActive}
      create={{ label: 'New edge', call: 'createApiToken', run: () => push({ edit: 'new' }) }}
      empty="No edge has reported in the last day. An edge serves flags near your applications, even while this server is unreachable."
      detail={
        selected && (
          <EdgeDetail key={selected.id} edge={selected} onClose={() => replace({ edge: undefined })} />
        )
      }
    >
      {search.edit === 'new' && <NewEdge onClose={() => replace({ edit: undefined })} />}
    </ListPage>
  );
}

function EdgeDetail({ edge, onClose }: { edge: Edge; onClose(): void }) {
  const facts = [
    ['Environment', edge.environment],
    ['Projects', edge.projects.includes('*') ? 'All projects' : edge.projects.join(', ')],
    ['Version', edge.version],
    ['Revision', `${formatNumber(edge.revision)}, ${flagsOf(edge).toLowerCase()}`],
    ['SDK instances', formatNumber(edge.instances)],
  ];
  return (
    <Detail label={edge.tokenName} bar="Edge" onClose={onClose}>
      <h2 className={s.title}>{edge.tokenName}</h2>
      <p className={s.words}>
        <Status edge={edge} /> Last report <Time at={edge.seenAt} as="full" />.
      </p>
      <dl className={s.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={s.words}>
        To remove the edge, delete{' '}
        <Link to="/admin/tokens" search={{ token: String(edge.tokenId) }}>
          its token
        </Link>
        . The edge then rejects all SDKs and deletes its flags.
      </p>
    </Detail>
  );
}
