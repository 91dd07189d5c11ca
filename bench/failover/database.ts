import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CHUNK_SIZE } from '../../server/src/record/event-index/bitmap.ts';
import { type Cluster, createCluster } from '../../server/src/test/postgres-cluster.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';

/** How long the standby replicates under load before it is disconnected. */
const FOLLOW_MS = 1_000;
/** Each round begins this many events before the end of a search index chunk, and loses more events than that. */
const EVENTS_BEFORE_CHUNK = 30;

/** The database between two failovers. Commits can be lost from one era to the next, but never within an era. */
export type Era = {
  number: number;
  cluster: Cluster;
  /** Reads directly, without the proxy. */
  pool: pg.Pool;
  /** The server can reach the database only while the era is open. Once the era is closed, its content is final. */
  state: 'opening' | 'open' | 'closed';
  /** When the server could first write to the database, and Infinity until then. */
  openedAt: number;
  /** When the connections were cut, and Infinity until then. */
  closedAt: number;
};

export type EraListener = {
  /** Called when the era is over. Its content is final, and can still be read. */
  onClosed?: (era: Era) => Promise<void>;
  /** Called when the next era can be read directly, before the server can reach it. */
  onOpening?: (era: Era) => Promise<void>;
};

/** `position` is the id of the newest event that was lost. */
export type Outcome = { lostEvents: number; position: number; downMs: number };

/** The minimum time and number of events to lose. PostgreSQL skips up to 32 ids after a crash, so a round must lose more than 32. */
export type MinLoss = { ms: number; events: number };

export type FailingDatabase = {
  /** The URL that the server connects to. */
  url: URL;
  /** The latest era. */
  readonly era: Era;
  listen: (listener: EraListener) => void;
  /** Replaces the primary with a standby that lacks the last commits. The server may be redirected to the standby before the promotion. */
  promote: (loss: MinLoss, movesBeforePromotion: boolean) => Promise<Outcome>;
  /** Copies the data folder, and later restores the copy. */
  restore: (loss: MinLoss) => Promise<Outcome>;
  remove: () => Promise<void>;
};

/** Starts PostgreSQL behind a proxy. The server always connects to the proxy, as it would to a load balancer. */
export async function startFailingDatabase(random: () => number): Promise<FailingDatabase> {
  const listeners: EraListener[] = [];
  const firstCluster = await createCluster();
  const proxy: TcpProxy = await startTcpProxy('127.0.0.1', firstCluster.port);
  let era = makeEra(1, firstCluster);
  let standby: Cluster | undefined;
  era.state = 'open';
  era.openedAt = performance.now();

  /** Closes the era by cutting all connections, and waits until running statements have ended. */
  async function closeEra(): Promise<number> {
    era.closedAt = performance.now();
    era.state = 'closed';
    proxy.cut();
    while ((await countRunningStatements(era.pool)) > 0) await sleep(20);
    for (const { onClosed } of listeners) await onClosed?.(era);
    return era.closedAt;
  }

  /** Connects the server to a running cluster, which may still be a standby. */
  async function openEra(cluster: Cluster): Promise<void> {
    await era.pool.end();
    era = makeEra(era.number + 1, cluster);
    for (const { onOpening } of listeners) await onOpening?.(era);
    proxy.moveTo(cluster.port);
    era.state = 'open';
  }

  async function promote(loss: MinLoss, movesBeforePromotion: boolean): Promise<Outcome> {
    const oldPrimary = era.cluster;
    standby = await oldPrimary.addStandby();
    await approachChunk(era);
    await sleep(FOLLOW_MS);
    await standby.disconnect();
    await waitForWrites(era, loss);
    const closedAt = await closeEra();
    const outcome = await countLost(era, await listEvents(standby));
    await oldPrimary.stop('immediate');
    await sleep(random() * 2_000);
    // A DNS name or a load balancer can switch before the promotion. The server then finds a read-only database.
    if (movesBeforePromotion) await openEra(standby);
    else {
      await standby.promote();
      await openEra(standby);
    }
    if (movesBeforePromotion) {
      await sleep(random() * 3_000);
      await standby.promote();
    }
    era.openedAt = performance.now();
    standby = undefined;
    await oldPrimary.remove();
    return { ...outcome, downMs: era.openedAt - closedAt };
  }

  async function restore(loss: MinLoss): Promise<Outcome> {
    const { cluster } = era;
    await approachChunk(era);
    await sleep(FOLLOW_MS);
    await closeEra();
    const copiedIdentity = await describeIdentity(cluster);
    await cluster.stop('fast');
    await cluster.takeSnapshot();
    await cluster.start();
    const keptEvents = await listEvents(cluster);
    await openEra(cluster);
    era.openedAt = performance.now();
    await waitForWrites(era, loss);
    const closedAt = await closeEra();
    const outcome = await countLost(era, keptEvents);
    await cluster.stop('immediate');
    await cluster.restoreSnapshot();
    await cluster.start();
    const restoredIdentity = await describeIdentity(cluster);
    if (restoredIdentity !== copiedIdentity)
      throw new Error(`The copy is ${restoredIdentity}, and the database was ${copiedIdentity}`);
    await openEra(cluster);
    era.openedAt = performance.now();
    return { ...outcome, downMs: era.openedAt - closedAt };
  }

  const url = new URL(firstCluster.url);
  url.port = String(proxy.port);
  return {
    url,
    get era() {
      return era;
    },
    listen: listener => void listeners.push(listener),
    promote,
    restore,
    remove: async () => {
      await era.pool.end();
      await proxy.close();
      await era.cluster.remove();
      await standby?.remove();
    },
  };
}

function makeEra(number: number, cluster: Cluster): Era {
  const pool = new pg.Pool({ connectionString: cluster.url, max: 4 });
  pool.on('error', () => {});
  return {
    number,
    cluster,
    pool,
    state: 'opening',
    openedAt: Number.POSITIVE_INFINITY,
    closedAt: Number.POSITIVE_INFINITY,
  };
}

/** Counts the server's connections. After a cut, PostgreSQL keeps one open until its statement has ended. */
async function countRunningStatements(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ busy: string }>(
    `select count(*) as busy from pg_stat_activity where backend_type = 'client backend' and application_name like 'halyard%'`,
  );
  return Number(rows[0]?.busy);
}

export async function findNewestEventId({ pool }: Era): Promise<number> {
  const { rows } = await pool.query<{ id: string | null }>('select max(id) as id from events');
  return Number(rows[0]?.id ?? 0);
}

/**
 * Skips ids, so that the next events complete a chunk of the search index. The lost history and its replacement then both have a chunk
 * with the same number, but with different events.
 */
async function approachChunk({ pool }: Era): Promise<void> {
  await pool.query(
    `select setval('events_id_seq', ((last_value + ${EVENTS_BEFORE_CHUNK}) / ${CHUNK_SIZE} + 1) * ${CHUNK_SIZE} - ${EVENTS_BEFORE_CHUNK}) from events_id_seq`,
  );
}

/** Waits until the load has written enough for the round to lose. */
async function waitForWrites(era: Era, { ms, events }: MinLoss): Promise<void> {
  const targetCount = (await countEvents(era)) + events;
  await sleep(ms);
  while ((await countEvents(era)) < targetCount) await sleep(100);
}

async function countEvents({ pool }: Era): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('select count(*) from events');
  return Number(rows[0]?.count);
}

/** Counts the events that the next era will lack. */
async function countLost(
  era: Era,
  keptEvents: Set<string>,
): Promise<Pick<Outcome, 'lostEvents' | 'position'>> {
  const events = await listEvents(era.cluster);
  const lostEvents = [...events].filter(event => !keptEvents.has(event)).length;
  return { lostEvents, position: await findNewestEventId(era) };
}

/** Lists the events with their random group ids, because ids alone are reused after a loss. */
async function listEvents(cluster: Cluster): Promise<Set<string>> {
  const rows = await cluster.query(`select id || ' ' || group_id as event from events`);
  return new Set(rows.map(({ event }) => String(event)));
}

async function describeIdentity(cluster: Cluster): Promise<string> {
  const [identity] = await cluster.query(`
    select system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
      (select oid from pg_database where datname = current_database()) as oid
    from pg_control_system()`);
  return JSON.stringify(identity);
}
