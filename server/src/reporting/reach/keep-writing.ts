import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import { makeAskStreams } from '../../../../plane/src/counting/ask-streams.ts';
import type { Clients } from '../../../../plane/src/counting/clients.ts';
import type { ServingState } from '../../../../plane/src/serving/state/serving.ts';
import type { Db } from '../../platform/db/database.ts';
import { addRequests, beat, listQuestions, markEnded, writeHeard } from './store.ts';

/** A caller may be waiting for what is written. */
const TICK_MS = 250;
const BEAT_MS = 4_000;
const SWEEP_MS = 10_000;
const ROWS_PER_STATEMENT = 500;
/** The maximum number of statements per tick, so that the process reports in time that it is alive. */
const STATEMENTS = 20;
const LOOK_MS = 500;
const STOP_WITHIN_MS = 2_000;
/** If no caller is waiting, streams are asked only after they have not confirmed a change for a minute. */
const SETTLED_MS = 60_000;
const UNASKED = { quietMs: 300_000, most: 5 };

type Log = { warn: (fields: object, message: string) => void };

export type Writing = { flush: () => Promise<void>; stop: () => Promise<void> };

/** Writes which revisions instances have presented, and asks streams. While the database is unreachable, everything is kept. */
export function keepWriting(
  clients: Clients,
  state: Pick<ServingState, 'onChange'>,
  db: Db,
  log: Log,
  registry: Registry,
): Writing {
  const server = randomUUID();
  const { failures, asked } = metricsOf(registry, clients);
  const askStreams = makeAskStreams(clients, () => asked.inc());
  const heads = makeHeads(state);
  let beatAt = Number.NEGATIVE_INFINITY;
  let sweptAt = performance.now();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const now = performance.now();
    if (now - beatAt >= BEAT_MS) {
      await beat(db, server, clients.takeIgnored());
      beatAt = now;
    }
    for (let left = STATEMENTS; left > 0 && clients.isChanged; left--) {
      const { heard, requests, undo } = clients.take(ROWS_PER_STATEMENT);
      try {
        const missing = await db.transaction().execute(async tx => {
          if (requests.length > 0) await addRequests(tx, requests);
          return await writeHeard(tx, server, heard);
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
    if (clients.size === 0 || now - lookedAt < LOOK_MS) return;
    lookedAt = now;
    const questions = new Map((await listQuestions(db)).map(one => [one.environment, one.revision]));
    if (questions.size > 0) askStreams(questions);
    const settled = heads.settled(now - SETTLED_MS);
    if (settled.size > 0) askStreams(settled, UNASKED);
  };

  const guarded = async (): Promise<void> => {
    try {
      await tick();
      if (isFailing) log.warn({}, 'reach written after failures');
      isFailing = false;
    } catch (error) {
      failures.inc();
      // One line for an outage.
      if (!isFailing) log.warn({ err: error }, 'reach not written, retrying');
      isFailing = true;
    }
  };

  let ticking = Promise.resolve();
  const run = async (): Promise<void> => {
    while (!isStopped) {
      ticking = guarded();
      await ticking;
      await sleep(TICK_MS, undefined, { ref: false });
    }
  };
  const running = run();

  return {
    flush: async () => {
      await beat(db, server, clients.takeIgnored());
      await write();
      // A tick may have taken rows before, and still be writing them.
      await ticking;
    },
    stop: async () => {
      isStopped = true;
      heads.stop();
      const last = running.then(async () => {
        await write();
        await markEnded(db, server);
      });
      // What is not written counts as unknown, never as live.
      const ignored = last.catch(error => log.warn({ err: error }, 'reach not written'));
      await Promise.race([ignored, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/** The revisions that environments had some time ago. */
function makeHeads({ onChange }: Pick<ServingState, 'onChange'>) {
  const heads = new Map<string, { revision: number; at: number; settled: number }>();
  const stop = onChange((environment, revision) => {
    const known = heads.get(environment);
    // A revision counts from the first change after the last that has settled, so that a stream of changes settles too.
    if (!known) heads.set(environment, { revision, at: performance.now(), settled: 0 });
    else if (known.settled >= known.revision) Object.assign(known, { revision, at: performance.now() });
  });
  return {
    stop,
    settled: (before: number): Map<string, number> => {
      const found = new Map<string, number>();
      for (const [environment, head] of heads) {
        if (head.at <= before) head.settled = head.revision;
        if (head.settled > 0) found.set(environment, head.settled);
      }
      return found;
    },
  };
}

function metricsOf(registry: Registry, clients: Clients) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_reach_instances',
    help: 'Instances of SDKs whose revision this server remembers',
    registers,
    collect() {
      this.set(clients.size);
    },
  });
  return {
    failures: new Counter({
      name: 'halyard_reach_failures_total',
      help: 'Attempts to write the revisions of instances that failed; they are written later',
      registers,
    }),
    asked: new Counter({
      name: 'halyard_reach_streams_asked_total',
      help: 'Streams that were ended so that their clients present what they have',
      registers,
    }),
  };
}
