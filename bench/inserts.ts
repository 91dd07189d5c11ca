import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { type Actor, SYSTEM } from '../server/src/platform/actor.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { change } from '../server/src/record/change.ts';
import { insertEvents, type NewEvent } from '../server/src/record/events/store.ts';
import { randomFrom } from '../server/src/test/delivery-campaign.ts';
import { withClient } from './database.ts';
import { onCopy } from './events/copy-database.ts';
import { databaseOf, prepareEvents } from './events/load.ts';
import { percentile } from './measure.ts';
import { newEvent } from './search/writers.ts';
import { describeMachine, readIndexLag, startServer, waitForIndex } from './server.ts';

const options = readOptions({
  run: 'npm run bench:inserts',
  does: 'Measures how many events per second the log takes, against a bare table with a primary key.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events in the log before' },
    seconds: { type: 'string', default: '5', meaning: 'Seconds per measurement' },
    rounds: { type: 'string', default: '4', meaning: 'Number of measurements of each kind' },
    steady: { type: 'string', default: '180', meaning: 'Seconds at 200 events/s at the end, for the lag' },
  },
});

const CONNECTIONS = [1, 8];
const STEADY_PER_SECOND = 200;
/** Goals: the share of the bare table, the longest insert and the lag of the background work. */
const LEAST_OF_BARE = 0.5;
const MOST_INSERT_MS = 50;
const MOST_LAG_S = 5;
const ACTOR: Actor = { ...SYSTEM, kind: 'user', userId: 1, name: 'user-1', ip: '192.0.2.1' };
const random = randomFrom(1);
/** Prepared, so that creating them is not measured. */
const EVENTS = Array.from({ length: 5_000 }, () => newEvent(random));
let sent = 0;
const nextEvent = () => EVENTS[sent++ % EVENTS.length] as NewEvent;

/** All three send one event in a transaction of its own. */
const KINDS = {
  'bare table': (db: Db) => insert(db, 'bare_events'),
  events: (db: Db) => insert(db, 'events'),
  'change()': (db: Db) => change(db, ACTOR, async ({ record }) => record(nextEvent())),
};

/** The statement of the server; for the bare table with another name, so that both do the same work otherwise. */
async function insert(db: Db, table: string): Promise<void> {
  const { sql: text, parameters } = insertEvents(ACTOR, randomUUID(), [nextEvent()]).compile(db);
  const statement = CompiledQuery.raw(text.replace('insert into events', `insert into ${table}`), [
    ...parameters,
  ]);
  await db.transaction().execute(tx => tx.executeQuery(statement));
}

/** Milliseconds of every insert of that many connections in some seconds. */
async function measure(db: Db, connections: number, send: (db: Db) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + Number(options.seconds) * 1_000;
  const work = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await send(db);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return times;
}

/** 200 events per second: the longest insert, and the highest lag of the background work. */
async function runSteady(db: Db, server: string, seconds: number): Promise<void> {
  const times: number[] = [];
  const lags: number[] = [];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < seconds * STEADY_PER_SECOND; n++) {
    await sleep(Math.max(0, start + (n * 1_000) / STEADY_PER_SECOND - performance.now()));
    const begun = performance.now();
    pending.push(KINDS['change()'](db).then(() => void times.push(performance.now() - begun)));
    if (n % STEADY_PER_SECOND === 0) lags.push(await readIndexLag(server));
  }
  await Promise.all(pending);
  const [longest, lag] = [Math.max(...times), Math.max(...lags)];
  console.log(
    `\n${STEADY_PER_SECOND} events/s for ${seconds} s: p95 ${percentile(times, 0.95).toFixed(1)} ms, ` +
      `p99.9 ${percentile(times, 0.999).toFixed(1)} ms, longest ${longest.toFixed(0)} ms (goal ${MOST_INSERT_MS} ms); ` +
      `lag at most ${lag.toFixed(1)} s (goal ${MOST_LAG_S} s)`,
  );
  if (longest > MOST_INSERT_MS || lag > MOST_LAG_S) process.exitCode = 1;
}

const events = Number(options.events);
const original = databaseOf('skewed', events);
await prepareEvents(original, 'skewed', events);
await onCopy(original, async url => {
  console.log(await withClient(url, describeMachine));
  const server = await startServer(url);
  await waitForIndex(server.url);
  const db = openDb({ url: url.href, poolSize: Math.max(...CONNECTIONS), onError: console.error });
  try {
    await sql`create sequence bare_events_id_seq`.execute(db);
    await sql`create table bare_events (like events including defaults, primary key (id))`.execute(db);
    await sql`alter table bare_events alter id set default nextval('bare_events_id_seq')`.execute(db);
    console.log('| connections | inserts into | events/s | of bare | p95 ms | longest ms |');
    console.log('|--:|---|--:|--:|--:|--:|');
    for (const connections of CONNECTIONS) {
      const times = Object.keys(KINDS).map((): number[] => []);
      for (let round = 0; round <= Number(options.rounds); round++) {
        for (const [n, send] of Object.values(KINDS).entries()) {
          const measured = await measure(db, connections, send);
          // The first round only warms up.
          if (round > 0) times[n]?.push(...measured);
        }
      }
      const bare = times[0]?.length ?? 0;
      for (const [n, kind] of Object.keys(KINDS).entries()) {
        const of = times[n] ?? [];
        if (kind === 'events' && of.length < LEAST_OF_BARE * bare) process.exitCode = 1;
        const perSecond = of.length / (Number(options.seconds) * Number(options.rounds));
        console.log(
          `| ${connections} | ${kind} | ${perSecond.toFixed(0)} | ${((100 * of.length) / bare).toFixed(0)} % ` +
            `| ${percentile(of, 0.95).toFixed(1)} | ${of.reduce((a, b) => Math.max(a, b), 0).toFixed(0)} |`,
        );
      }
    }
    // The work that the measurements left behind is not that of 200 events per second.
    await waitForIndex(server.url);
    await sql`checkpoint`.execute(db);
    await runSteady(db, server.url, Number(options.steady));
  } finally {
    await db.destroy();
    await server.stop();
  }
});
