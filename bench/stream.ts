// Measures the time from a commit to its receipt by many clients of the event stream. Then kills the server again and again while
// events are written, and compares what each client received with what was committed.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../server/src/platform/command-line.ts';
import { openDb } from '../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { connectStream, type StreamClient } from '../server/src/test/event-stream-client.ts';
import { cpuBetween, percentile, readCpu } from './measure.ts';
import { makeViewer, printMachine, type Server, startServer } from './server.ts';

const options = readOptions({
  run: 'npm run bench:stream',
  does: 'Measures the latency of the event stream, then kills the server and counts missed events.',
  options: {
    listeners: { type: 'string', default: '500', meaning: 'Number of clients' },
    rate: { type: 'string', default: '50', meaning: 'Events per second' },
    seconds: { type: 'string', default: '30', meaning: 'Duration of the measurement of latency' },
    kills: { type: 'string', default: '20', meaning: 'Number of kills of the server' },
  },
});

const LISTENERS = Number(options.listeners);
const RATE = Number(options.rate);
const LISTENERS_PER_CALLER = 50;
const WRITERS = 4;
const P95_MS = 500;
const ARRIVES_WITHIN_MS = 120_000;

/** Filters of the clients, in turn, and which of the written events each of them matches. */
const KINDS = [
  { query: '', matches: () => true },
  { query: '?type=IS:feature-updated', matches: (number: number) => number % 2 === 0 },
  { query: '?query=ODD-NUMBER&project=IS:default', matches: (number: number) => number % 2 === 1 },
] as const;

type Listener = { kind: (typeof KINDS)[number]; token: string; ids: number[]; at: number[] };

const name = `halyard_stream_${randomBytes(4).toString('hex')}`;
const committed = new Map<number, { number: number; at: number }>();
let running = true;
let nextNumber = 0;
// Each start of a server adds a listener of its own.
process.setMaxListeners(0);
let connected = 0;

await createDatabase(name);
const url = new URL(urlOf(name));
let server: Server = await startServer(url);
try {
  const db = openDb({ url: url.href, poolSize: 4, onError: () => {} });
  await printMachine(db);
  const tokens = await Promise.all(
    Array.from({ length: Math.ceil(LISTENERS / LISTENERS_PER_CALLER) }, () => makeViewer(db)),
  );
  await db.destroy();
  const listeners = Array.from({ length: LISTENERS }, (_, at) => ({
    kind: KINDS[at % KINDS.length] ?? KINDS[0],
    token: tokens[Math.floor(at / LISTENERS_PER_CALLER)] ?? '',
    ids: [],
    at: [],
  }));
  for (const listener of listeners) void keepListening(listener);
  while (connected < LISTENERS) await sleep(50);
  const writers = Array.from({ length: WRITERS }, write);

  const before = await readCpu([server.pid]);
  await sleep(Number(options.seconds) * 1_000);
  const cpu = cpuBetween(before, await readCpu([server.pid])) ?? Number.NaN;
  const latencies = latenciesOf(listeners);
  const memory = await server.peakMemoryMb();

  for (let kill = 0; kill < Number(options.kills); kill++) {
    await sleep(300 + Math.random() * 2_000);
    process.kill(server.pid, 'SIGKILL');
    server = await startServer(url);
  }
  running = false;
  await Promise.all(writers);
  const stopped = performance.now();
  const wrong = await compare(listeners);
  const p95 = percentile(latencies, 0.95);
  console.log(
    [
      '| Measure | Value |',
      '| --- | ---: |',
      `| clients | ${LISTENERS} |`,
      `| events committed | ${committed.size} |`,
      `| receipts measured | ${latencies.length} |`,
      `| commit to receipt, p50 / p95 / p99 / most, ms | ${[0.5, 0.95, 0.99, 1].map(part => percentile(latencies, part).toFixed(0)).join(' / ')} |`,
      `| CPU of the server during the measurement, % of one core | ${((cpu / Number(options.seconds) / 1_000) * 100).toFixed(0)} |`,
      `| peak memory of the server before the first kill, MB | ${memory} |`,
      `| kills of the server | ${options.kills} |`,
      `| time until all clients were complete after the last kill, s | ${((performance.now() - stopped) / 1_000).toFixed(1)} |`,
      `| events missed | ${wrong.missed} |`,
      `| events received twice, out of order or without a match | ${wrong.unexpected} |`,
    ].join('\n'),
  );
  process.exitCode = wrong.missed + wrong.unexpected === 0 && p95 <= P95_MS ? 0 : 1;
} finally {
  running = false;
  await server.stop();
  await dropDatabase(name);
}
process.exit();

/** A client that reconnects as a browser does. */
async function keepListening(listener: Listener): Promise<void> {
  let lastEventId: string | undefined;
  const onEvent = ({ id, at }: { id: number; at: number }) => {
    listener.ids.push(id);
    listener.at.push(at);
  };
  for (;;) {
    const address = `${server.url}/api/admin/events/stream${listener.kind.query}`;
    const client: StreamClient | undefined = await connectStream(address, listener.token, {
      lastEventId,
      onEvent,
      keep: false,
    }).catch(() => undefined);
    if (client?.status === 200) {
      if (lastEventId === undefined) connected++;
      await client.closed;
      lastEventId = client.lastEventId();
    }
    await sleep(500 + Math.random() * 500);
  }
}

/** Commits events out of order, and rolls some of them back. */
async function write(): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const started = performance.now();
  for (let round = 0; running; round++) {
    const due = started + (round * 1_000 * WRITERS) / RATE;
    await sleep(Math.max(0, due - performance.now()));
    const number = nextNumber++;
    await client.query('begin');
    const { rows } = await client.query(
      `insert into events (group_id, type, created_by, project, data)
      values ('bench', $1, 'bench', 'default', jsonb_build_object('text', $2::text)) returning id`,
      [
        number % 2 === 0 ? 'feature-updated' : 'feature-created',
        number % 2 === 0 ? 'even number' : 'Odd-Number',
      ],
    );
    await sleep(Math.random() * 20);
    const isLost = Math.random() < 0.05;
    await client.query(isLost ? 'rollback' : 'commit');
    if (!isLost) committed.set(Number(rows[0].id), { number, at: performance.now() });
  }
  await client.end();
}

function latenciesOf(listeners: Listener[]): number[] {
  return listeners.flatMap(({ ids, at }) =>
    ids.flatMap((id, n) => {
      const event = committed.get(id);
      return event ? [Math.max(0, (at[n] ?? 0) - event.at)] : [];
    }),
  );
}

async function compare(listeners: Listener[]): Promise<{ missed: number; unexpected: number }> {
  const all = [...committed].toSorted(([a], [b]) => a - b);
  const expected = new Map(
    KINDS.map(kind => [kind, all.filter(([, { number }]) => kind.matches(number)).map(([id]) => id)]),
  );
  const until = performance.now() + ARRIVES_WITHIN_MS;
  const isComplete = ({ kind, ids }: Listener) => ids.at(-1) === expected.get(kind)?.at(-1);
  while (!listeners.every(isComplete) && performance.now() < until) await sleep(100);
  let missed = 0;
  let unexpected = 0;
  for (const { kind, ids } of listeners) {
    const own = expected.get(kind) ?? [];
    const received = new Set(ids);
    missed += own.filter(id => !received.has(id)).length;
    const wanted = new Set(own);
    unexpected += ids.filter((id, n) => !wanted.has(id) || id <= (ids[n - 1] ?? 0)).length;
  }
  return { missed, unexpected };
}
