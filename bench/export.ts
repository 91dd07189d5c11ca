// Exports the whole log over HTTP and compares it with COPY of the same columns through Node.js, by rows per second. Also measures
// how much memory the server needs for it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import memory from '../server/bin/memory.json' with { type: 'json' };
import { readOptions } from '../server/src/platform/command-line.ts';
import { withClient } from './database.ts';
import { copyOut } from './events/copy.ts';
import { databaseOf, prepareEvents } from './events/load.ts';
import { cpuBetween, readCpuOf } from './search/cpu.ts';
import { ADMIN_TOKEN, describeMachine, startServer } from './server.ts';
import { residentMb } from './soak/memory.ts';

const options = readOptions({
  run: 'npm run bench:export',
  does: 'Exports all events over HTTP and compares it with COPY of the same columns.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events in the log' },
    rounds: { type: 'string', default: '1', meaning: 'Number of exports of each kind, in turn' },
  },
});

const COLUMNS =
  'id, created_at, type, created_by, created_by_user_id, created_by_kind, environment, project, feature_name, data, pre_data, tags, group_id, comment, ip';
const MOST_RISE_MB = 50;
const LEAST_OF_COPY = 0.5;
const SAMPLE_MS = 100;
const LINE_BREAK = 10;

const countLines = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) lines++;
  return lines;
};

type Read = { rows: number; bytes: number; perSecond: number };

/** Counts the rows and bytes of what the work hands over. */
async function counted(work: (take: (chunk: Buffer) => void) => Promise<void>): Promise<Read> {
  let [rows, bytes] = [0, 0];
  const start = performance.now();
  await work(chunk => {
    rows += countLines(chunk);
    bytes += chunk.length;
  });
  return { rows, bytes, perSecond: (rows / (performance.now() - start)) * 1_000 };
}

/** Reads the export of the server, and watches its memory. */
async function exportAll(port: number, pid: number): Promise<Read & { riseMb: number }> {
  const before = residentMb(pid);
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMb(pid));
  }, SAMPLE_MS);
  const read = await counted(async take => {
    const request = get({
      port,
      host: '127.0.0.1',
      path: '/api/admin/search/events/export?format=ndjson',
      headers: { authorization: ADMIN_TOKEN },
    });
    const [response] = await once(request, 'response');
    if (response.statusCode !== 200) throw new Error(`The export returned ${response.statusCode}`);
    for await (const chunk of response) take(chunk);
  });
  clearInterval(timer);
  return { ...read, riseMb: highest - before };
}

const copyAll = (client: pg.Client): Promise<Read> =>
  counted(take => copyOut(client, `copy (select ${COLUMNS} from events) to stdout`, take));

const shown = (kind: string, { rows, bytes, perSecond }: Read, more: (number | undefined)[]): string =>
  `| ${[kind, rows, (bytes / 1e6).toFixed(0), perSecond.toFixed(0), ...more.map(one => one?.toFixed(0) ?? '')].join(' | ')} |`;

const events = Number(options.events);
const url = databaseOf('skewed', events);
await prepareEvents(url, 'skewed', events);
// Only the whole server creates the token of the admin.
await (await startServer(url)).stop();
const env = { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' };
// Without its jobs: the search index of a new log would use CPU and memory of its own. With the options of server/bin/start.cjs.
const server = fork(fileURLToPath(new URL('sdk/serve.ts', import.meta.url)), {
  stdio: 'inherit',
  env: { ...env, MALLOC_ARENA_MAX: memory.mallocArenas },
  execArgv: memory.options,
});
const problems: string[] = [];
try {
  const [port] = (await once(server, 'message')) as [number];
  const pid = server.pid ?? 0;
  await withClient(url, async client => {
    console.log(`${await describeMachine(client)}, load ${loadavg()[0]?.toFixed(1)} at the start\n`);
    console.log(
      '| | rows | MB | rows/s | server, µs of CPU per row | PostgreSQL, µs | memory rise, MB |\n|---|--:|--:|--:|--:|--:|--:|',
    );
    for (let round = 0; round < Number(options.rounds); round++) {
      const copied = await copyAll(client);
      console.log(shown('COPY', copied, [undefined, undefined, undefined]));
      const before = await readCpuOf(pid, client);
      const exported = await exportAll(port, pid);
      const cpu = cpuBetween(before, await readCpuOf(pid, client));
      const [ofServer, ofPostgres] = [cpu.server, cpu.postgres].map(ms => (ms * 1_000) / exported.rows);
      console.log(shown('export', exported, [ofServer, ofPostgres, exported.riseMb]));
      const share = exported.perSecond / copied.perSecond;
      console.log(`\nexport / COPY: ${(share * 100).toFixed(0)} %\n`);
      if (exported.rows < events) problems.push(`The export has ${exported.rows} of ${events} events`);
      if (share < LEAST_OF_COPY) problems.push('The export has less than half of the rows/s of COPY');
      if (exported.riseMb > MOST_RISE_MB) problems.push(`The memory rose by more than ${MOST_RISE_MB} MB`);
    }
  });
} finally {
  server.kill();
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
