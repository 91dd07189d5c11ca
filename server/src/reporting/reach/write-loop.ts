import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clients } from '@halyard/plane/counting/clients.ts';
import { makeReconnectClients } from '@halyard/plane/counting/reconnect-clients.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import { addRequests, listAwaitedRevisions, markEnded, recordHeartbeat, writeSightings } from './store.ts';

/** Short, because a caller may wait until the rows are written. */
const TICK_MS = 250;
const HEARTBEAT_MS = 4_000;
const SWEEP_MS = 10_000;
const ROWS_PER_STATEMENT = 500;
/** The maximum number of statements per tick, so that the heartbeat is sent in time. */
const MAX_STATEMENTS = 20;
const CHECK_MS = 500;
const STOP_WITHIN_MS = 2_000;
/** If no caller is waiting, streams are asked to confirm a change only after a minute. */
const SETTLED_MS = 60_000;
const BACKGROUND_ASK = { quietMs: 300_000, max: 5 };

type Log = { warn: (fields: object, message: string) => void };

export type WriteLoop = { flush: () => Promise<void>; stop: () => Promise<void> };

/**
 * Writes which revisions instances have sent back, and ends streams that have not confirmed a change, so that their clients
 * reconnect and send their revision. While the database is unreachable, everything is kept.
 */
export function startWriteLoop(
  clients: Clients,
  state: Pick<ServingState, 'onChange'>,
  db: Db,
  log: Log,
  registry: Registry,
): WriteLoop {
  const server = randomUUID();
  const { failures, asked: askedStreams } = registerMetrics(registry, clients);
  const reconnectClients = makeReconnectClients(clients, () => askedStreams.inc());
  const heads = trackHeads(state);
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let sweptAt = performance.now();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const now = performance.now();
    if (now - heartbeatAt >= HEARTBEAT_MS) {
      await recordHeartbeat(db, server, clients.takeIgnored());
      heartbeatAt = now;
    }
    for (let remaining = MAX_STATEMENTS; remaining > 0 && clients.isChanged; remaining--) {
      const { sightings, requests, undo } = clients.take(ROWS_PER_STATEMENT);
      try {
        const missing = await db.transaction().execute(async tx => {
          if (requests.length > 0) await addRequests(tx, requests);
          return await writeSightings(tx, server, sightings);
        });
        clients.forget(missing);
      } catch (error) {
        undo();
        throw error;
      }
    }
  };

  const tick = async (): Promise<void> => {
    const now = performance.now();
    if (now - sweptAt >= SWEEP_MS) {
      sweptAt = now;
      clients.sweep();
    }
    await write();
    if (clients.size === 0 || now - checkedAt < CHECK_MS) return;
    checkedAt = now;
    const awaitedRevisions = new Map(
      (await listAwaitedRevisions(db)).map(awaitedRevision => [
        awaitedRevision.environment,
        awaitedRevision.revision,
      ]),
    );
    if (awaitedRevisions.size > 0) reconnectClients(awaitedRevisions);
    const settledRevisions = heads.settledBefore(now - SETTLED_MS);
    if (settledRevisions.size > 0) reconnectClients(settledRevisions, BACKGROUND_ASK);
  };

  const tickSafely = async (): Promise<void> => {
    try {
      await tick();
      if (isFailing) log.warn({}, 'reach written after failures');
      isFailing = false;
    } catch (error) {
      failures.inc();
      // Logs one line per outage.
      if (!isFailing) log.warn({ err: error }, 'reach not written, retrying');
      isFailing = true;
    }
  };

  let currentTick = Promise.resolve();
  const run = async (): Promise<void> => {
    while (!isStopped) {
      currentTick = tickSafely();
      await currentTick;
      await sleep(TICK_MS, undefined, { ref: false });
    }
  };
  const loop = run();

  return {
    flush: async () => {
      await recordHeartbeat(db, server, clients.takeIgnored());
      await write();
      // An earlier tick may still be writing the rows that it took.
      await currentTick;
    },
    stop: async () => {
      isStopped = true;
      heads.stop();
      const lastWrite = loop.then(async () => {
        await write();
        await markEnded(db, server);
      });
      // Anything that is not written counts as unknown, never as live.
      const lastAttempt = lastWrite.catch(error => log.warn({ err: error }, 'reach not written'));
      await Promise.race([lastAttempt, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Tracks the newest revision of each environment, and the newest one that is settled, which means older than a given time. */
function trackHeads({ onChange }: Pick<ServingState, 'onChange'>) {
  const heads = new Map<string, { revision: number; changedAt: number; settledRevision: number }>();
  const stop = onChange((environment, revision) => {
    const head = heads.get(environment);
    // `changedAt` is the time of the first change after the last settled revision, so that even a constant stream of changes
    // settles.
    if (!head) heads.set(environment, { revision, changedAt: performance.now(), settledRevision: 0 });
    else if (head.settledRevision >= head.revision)
      Object.assign(head, { revision, changedAt: performance.now() });
  });
  return {
    stop,
    settledBefore: (time: number): Map<string, number> => {
      const revisions = new Map<string, number>();
      for (const [environment, head] of heads) {
        if (head.changedAt <= time) head.settledRevision = head.revision;
        if (head.settledRevision > 0) revisions.set(environment, head.settledRevision);
      }
      return revisions;
    },
  };
}

function registerMetrics(registry: Registry, clients: Clients) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_reach_instances',
    help: 'SDK instances whose revision this server tracks',
    registers,
    collect() {
      this.set(clients.size);
    },
  });
  return {
    failures: new Counter({
      name: 'halyard_reach_failures_total',
      help: 'Failed attempts to write the revisions of instances. The revisions are written later',
      registers,
    }),
    asked: new Counter({
      name: 'halyard_reach_streams_asked_total',
      help: 'Streams that were ended so that their clients reconnect and send their revision',
      registers,
    }),
  };
}
