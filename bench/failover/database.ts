import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CHUNK_SIZE } from '../../server/src/record/event-index/bitmap.ts';
import { type Cluster, createCluster } from '../../server/src/test/postgres-cluster.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';

/** How long the standby follows under load before it is disconnected. */
const FOLLOW_MS = 1_000;
/** Fewer events than a round loses. */
const EVENTS_BEFORE_CHUNK = 30;

/** The database from one failover to the next. During an era commits are only added; they are lost only between two eras. */
export type Era = {
  number: number;
  cluster: Cluster;
  /** Reads directly, without the proxy. */
  pool: pg.Pool;
  /** The server can reach the database while it is open. Its content is final once it is closed. */
  state: 'opening' | 'open' | 'closed';
  /** When the server could write to the database. Infinity before that. */
  openedAt: number;
  /** When the connections were cut. Infinity before that. */
  closedAt: number;
};

export type EraListener = {
  /** The era is over and its content is final, but it can still be read. */
  closed?: (era: Era) => Promise<void>;
  /** The next era has its content, but the server cannot reach it yet. */
  opening?: (era: Era) => Promise<void>;
};

/** `position` is the id of the newest event that was lost. */
export type Outcome = { lost: number; position: number; downMs: number };

/** Commits are lost for at least this long, and at least this many: PostgreSQL skips up to 32 ids after a crash. */
export type Loss = { ms: number; events: number };

export type FailingDatabase = {
  /** What the server connects to. */
  url: URL;
  /** The latest era. */
  readonly era: Era;
  listen: (listener: EraListener) => void;
  /** Replaces the primary with a standby that lacks the last commits. */
  promote: (loss: Loss, isMovedFirst: boolean) => Promise<Outcome>;
  /** Copies the data folder, and puts the copy back later. */
  restore: (loss: Loss) => Promise<Outcome>;
  remove: () => Promise<void>;
};

/** A PostgreSQL behind a proxy. The server keeps the URL of the proxy, as it would keep that of a load balancer. */
export async function startFailingDatabase(random: () => number): Promise<FailingDatabase> {
  const listeners: EraListener[] = [];
  const first = await createCluster();
  const proxy: TcpProxy = await startTcpProxy('127.0.0.1', first.port);
  let era = makeEra(1, first);
  let standby: Cluster | undefined;
  era.state = 'open';
  era.openedAt = performance.now();

  /** Cuts all connections. What was committed by then is final. */
  async function close(): Promise<number> {
    era.closedAt = performance.now();
    era.state = 'closed';
    proxy.cut();
    while ((await countBusy(era.pool)) > 0) await sleep(20);
    for (const { closed } of listeners) await closed?.(era);
    return era.closedAt;
  }

  /** Makes the cluster the one that the server connects to. It runs, and may still be a standby. */
  async function open(cluster: Cluster): Promise<void> {
    await era.pool.end();
    era = makeEra(era.number + 1, cluster);
    for (const { opening } of listeners) await opening?.(era);
    proxy.moveTo(cluster.port);
    era.state = 'open';
  }

  async function promote(loss: Loss, isMovedFirst: boolean): Promise<Outcome> {
    const old = era.cluster;
    standby = await old.addStandby();
    await approachChunk(era);
    await sleep(FOLLOW_MS);
    await standby.disconnect();
    await writeMore(era, loss);
    const closedAt = await close();
    const lost = await findLost(era, await listEvents(standby));
    await old.stop('immediate');
    await sleep(random() * 2_000);
    // A DNS name or a load balancer can switch before the promotion. The server then finds a read-only database.
    if (isMovedFirst) await open(standby);
    else {
      await standby.promote();
      await open(standby);
    }
    if (isMovedFirst) {
      await sleep(random() * 3_000);
      await standby.promote();
    }
    era.openedAt = performance.now();
    standby = undefined;
    await old.remove();
    return { ...lost, downMs: era.openedAt - closedAt };
  }

  async function restore(loss: Loss): Promise<Outcome> {
    const { cluster } = era;
    await approachChunk(era);
    await sleep(FOLLOW_MS);
    await close();
    const copied = await identityOf(cluster);
    await cluster.stop('fast');
    await cluster.takeSnapshot();
    await cluster.start();
    const kept = await listEvents(cluster);
    await open(cluster);
    era.openedAt = performance.now();
    await writeMore(era, loss);
    const closedAt = await close();
    const lost = await findLost(era, kept);
    await cluster.stop('immediate');
    await cluster.restoreCopy();
    await cluster.start();
    const restored = await identityOf(cluster);
    if (restored !== copied) throw new Error(`The copy is ${restored}, and the database was ${copied}`);
    await open(cluster);
    era.openedAt = performance.now();
    return { ...lost, downMs: era.openedAt - closedAt };
  }

  const url = new URL(first.url);
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

/** Connections that still run a statement although their client is gone. */
async function countBusy(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ busy: string }>(
    `select count(*) as busy from pg_stat_activity where backend_type = 'client backend' and application_name like 'halyard%'`,
  );
  return Number(rows[0]?.busy);
}

/** The id of the newest event. */
export async function newestEvent({ pool }: Era): Promise<number> {
  const { rows } = await pool.query<{ id: string | null }>('select max(id) as id from events');
  return Number(rows[0]?.id ?? 0);
}

/**
 * Skips ids, so that the next events complete a chunk of the search index. The lost history and the one that replaces it then have a
 * chunk with the same number and different events.
 */
async function approachChunk({ pool }: Era): Promise<void> {
  await pool.query(
    `select setval('events_id_seq', ((last_value + ${EVENTS_BEFORE_CHUNK}) / ${CHUNK_SIZE} + 1) * ${CHUNK_SIZE} - ${EVENTS_BEFORE_CHUNK}) from events_id_seq`,
  );
}

/** Waits while others write. */
async function writeMore(era: Era, { ms, events }: Loss): Promise<void> {
  const until = (await countEvents(era)) + events;
  await sleep(ms);
  while ((await countEvents(era)) < until) await sleep(100);
}

async function countEvents({ pool }: Era): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('select count(*) from events');
  return Number(rows[0]?.count);
}

/** The commits that the next era will lack. */
async function findLost(era: Era, kept: Set<string>): Promise<Pick<Outcome, 'lost' | 'position'>> {
  const events = await listEvents(era.cluster);
  const lost = [...events].filter(event => !kept.has(event)).length;
  return { lost, position: await newestEvent(era) };
}

/** Ids are reused after a loss. The group of a change is random. */
async function listEvents(cluster: Cluster): Promise<Set<string>> {
  const rows = await cluster.query(`select id || ' ' || group_id as event from events`);
  return new Set(rows.map(({ event }) => String(event)));
}

async function identityOf(cluster: Cluster): Promise<string> {
  const [identity] = await cluster.query(`
    select system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
      (select oid from pg_database where datname = current_database()) as oid
    from pg_control_system()`);
  return JSON.stringify(identity);
}
