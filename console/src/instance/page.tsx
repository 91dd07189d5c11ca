import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { download } from '../ui/download.ts';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { formatDuration } from '../ui/time.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import s from './instance.module.css';
import { Maintenance } from './Maintenance.tsx';
import { type Diagnostics, diagnosticsQuery, instanceQuery } from './queries.ts';
import { formatBytes, getLimitUsage } from './words.ts';

const LIMIT_LABELS: Record<Diagnostics['limits'][number]['name'], string> = {
  projects: 'Projects, including archived ones',
  environments: 'Environments',
  features: 'Active flags',
  segments: 'Segments',
  apiTokens: 'API tokens',
};

/** Shows versions, limits with their usage, the database, and the progress of background work. */
export function InstancePage() {
  const { data, error, refetch } = useQuery(diagnosticsQuery);
  return (
    <Page
      title="Instance"
      note={data && `Halyard ${data.version}`}
      actions={
        data && (
          <>
            <Maintenance />
            <Button
              leftSection={<Download size={14} />}
              title="Versions, sizes and counts, without names of people, projects or flags, and without secrets."
              onClick={() =>
                download(
                  `halyard-diagnostics-${data.createdAt.slice(0, 10)}.json`,
                  JSON.stringify(data, null, 2),
                )
              }
            >
              Download diagnostics
            </Button>
          </>
        )
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className={s.body} tabIndex={0} aria-label="State of the instance">
          <About data={data} />
          <Limits limits={data.limits} />
          <Database data={data} />
          <BackgroundWork data={data} />
          <Server data={data} />
        </section>
      )}
    </Page>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={s.card} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={s.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function About({ data: { version, publicUrl, login, secretKey, instanceId } }: { data: Diagnostics }) {
  const { data: instance } = useQuery(instanceQuery);
  const methods = [login.password && 'passwords', login.singleSignOn && 'single sign-on'].filter(Boolean);
  return (
    <Card title="Halyard">
      <dl>
        <Fact name="Version">{version}</Fact>
        <Fact name="License">{instance?.license ?? 'Apache-2.0'}, one edition that includes everything</Fact>
        <Fact name="URL">
          <span className="mono">{publicUrl}</span>
        </Fact>
        <Fact name="Login">
          <Link to="/admin/sign-in">{methods.join(' and ')}</Link>
        </Fact>
        <Fact name="Secret key">
          {secretKey ? 'set' : <State tone="warn">HALYARD_SECRET_KEY is not set</State>}
        </Fact>
        <Fact name="Instance ID">
          <span className="mono">{instanceId}</span>
        </Fact>
      </dl>
    </Card>
  );
}

function Limits({ limits }: { limits: Diagnostics['limits'] }) {
  return (
    <Card title="Limits">
      <ul className={s.limits}>
        {limits.map(({ name, used, limit }) => {
          const { percent, tone } = getLimitUsage(used, limit);
          return (
            <li key={name}>
              <span>{LIMIT_LABELS[name]}</span>
              <meter
                aria-label={LIMIT_LABELS[name]}
                min={0}
                max={100}
                value={percent}
                data-tone={tone}
                title={`${percent} %`}
              />
              <span className={s.used} data-tone={tone}>
                {formatNumber(used)} of {formatNumber(limit)}
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Database({ data: { database } }: { data: Diagnostics }) {
  const openConnections = database.connections.reduce((sum, connection) => sum + connection.open, 0);
  return (
    <Card title="Database">
      <dl>
        <Fact name="PostgreSQL">{database.version}</Fact>
        <Fact name="Size">{formatBytes(database.bytes)}</Fact>
        <Fact name="Migrations">
          {formatNumber(database.migrations)}, newest <span className="mono">{database.newestMigration}</span>
        </Fact>
        <Fact name="Connections">
          {formatNumber(openConnections)} of {formatNumber(database.availableConnections)} (
          {database.limitedBy}), by {formatCount(database.servers, 'server')}
        </Fact>
      </dl>
      <table className={s.connections}>
        <thead>
          <tr>
            <th scope="col">Purpose</th>
            <th scope="col">Open</th>
            <th scope="col">Active</th>
          </tr>
        </thead>
        <tbody>
          {database.connections.map(({ name, open: count, active }) => (
            <tr key={name}>
              <th scope="row">{name.replace(/^halyard /, '')}</th>
              <td>{count}</td>
              <td>{active}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function BackgroundWork({ data: { events, integrations } }: { data: Diagnostics }) {
  const { filters, text } = events.indexLagSeconds;
  const lag = Math.max(filters, text);
  return (
    <Card title="Background work">
      <dl>
        <Fact name="Newest event">
          #{events.newestId}
          {events.newestAt && (
            <>
              , <Time at={events.newestAt} />
            </>
          )}
        </Fact>
        <Fact name="Event index">
          {lag === 0 ? (
            <State tone="on">up to date</State>
          ) : (
            <State tone="warn">behind by {formatDuration(lag * 1000)}</State>
          )}
        </Fact>
        <Fact name="Integrations">
          <Link to="/integrations">{formatCount(integrations.enabled, 'enabled integration')}</Link>
          {integrations.failing > 0 && (
            <>
              , <State tone="bad">{integrations.failing} failing</State>
            </>
          )}
        </Fact>
        <Fact name="Deliveries">
          {integrations.openDeliveries === 0
            ? 'none waiting'
            : formatCount(integrations.openDeliveries, 'open delivery', 'open deliveries')}
          {integrations.oldestDueSeconds > 0 &&
            `, the oldest overdue by ${formatDuration(integrations.oldestDueSeconds * 1000)}`}
        </Fact>
      </dl>
    </Card>
  );
}

function Server({ data: { server } }: { data: Diagnostics }) {
  return (
    <Card title="Server that responded">
      <dl>
        <Fact name="Node.js">
          {server.node}, {server.platform}, {formatCount(server.cpus, 'processor')}
        </Fact>
        <Fact name="Uptime">{formatDuration(server.uptimeSeconds * 1000)}</Fact>
        <Fact name="Memory">
          {formatBytes(server.residentBytes)}, {formatBytes(server.heapBytes)} used by objects
        </Fact>
      </dl>
    </Card>
  );
}
