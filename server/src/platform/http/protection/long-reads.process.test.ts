import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../../test/database.ts';
import { makeProject } from '../../../test/factories.ts';
import { ADMIN_TOKEN } from '../../../test/harness.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../test/process.ts';
import { type Db, openDb } from '../../db/database.ts';

const FEATURE_COUNT = 6_000;
/** The server handles one list per caller at a time and queues the rest, so the test needs three callers. */
const CALLERS = [ADMIN_TOKEN, `${ADMIN_TOKEN}-2`, `${ADMIN_TOKEN}-3`];
const PATH = '/api/admin/projects/large';
const name = `halyard_long_reads_${randomBytes(6).toString('hex')}`;
let db: Db;
let server: RunningServer;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  db = openDb({ url: getDatabaseUrl(name), poolSize: 2, onError: () => {} });
  await makeProject(db, { id: 'large' });
  // Each flag is 4 kB, so a whole list does not fit in the buffers between server and client.
  await sql`
    insert into features (name, project, type, description)
    select 'flag-' || n, 'large', 'release', repeat('x', 4000) from generate_series(1, ${FEATURE_COUNT}::integer) as n`.execute(
    db,
  );
  await sql`
    insert into feature_lifecycles (feature_name, stage)
    select name, 'initial' from features`.execute(db);
  server = await startProcess({
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_INIT_ADMIN_TOKENS: CALLERS.join(','),
    LOG_LEVEL: 'warn',
  });
});
afterAll(async () => {
  if (server) await stopProcess(server);
  await db.destroy();
  await discardDatabase(name);
});

const headers = { authorization: ADMIN_TOKEN };
const read = async (path: string, caller = ADMIN_TOKEN) =>
  await fetch(`${server.url}${path}`, { headers: { authorization: caller } });

/** Sends a request and never reads the body of a 200. */
async function openPausedClient(path: string) {
  const request = get(`${server.url}${path}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode === 200) response.pause();
  else response.resume();
  return { request, response };
}

test('clients that do not read their reports are cut off, and do not keep others waiting', async () => {
  const pausedClients = Promise.all(
    Array.from({ length: 10 }, () => openPausedClient(`${PATH}/health-report`)),
  );
  await expect
    .poll(
      async () =>
        (
          await sql<{ open: number }>`
            select count(*) as open from pg_stat_activity
            where datname = ${name} and state = 'idle in transaction'`.execute(db)
        ).rows[0]?.open,
    )
    .toBeGreaterThan(0);

  // The clients do not notice a cut-off, because they do not read, so the test counts the cut-offs in the log.
  const countCutOffs = () => server.output().match(/"msg":"client stopped reading"/g)?.length ?? 0;
  const paths = [`${PATH}/features/flag-1`, '/api/admin/projects', PATH];
  const pathsReadInTime = new Set<string>();
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => paths)
      .flat()
      .map(async path => {
        const { status } = await read(path);
        if (status === 200 && countCutOffs() === 0) pathsReadInTime.add(path);
        return status;
      }),
  );
  // A 503 is possible on a slow machine: earlier reads may outlast the queue timeout.
  expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([]);
  // A read blocked by the paused clients would finish only after a cut-off, and would be missing here.
  expect([...pathsReadInTime].toSorted()).toEqual(paths.toSorted());

  const clients = await pausedClients;
  const unread = clients.filter(({ response }) => response.statusCode === 200).length;
  expect(unread).toBeGreaterThan(0);
  for (const { response } of clients.filter(({ response }) => response.statusCode !== 200))
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
  await expect.poll(countCutOffs).toBe(unread);
  for (const { request } of clients) request.destroy();
  expect(await (await read(`${PATH}/health-report`)).json()).toMatchObject({ activeCount: FEATURE_COUNT });
});

test('streams lists, so that 6 simultaneous lists of 6,000 flags take little memory', async () => {
  const readMemoryMb = () => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const list = async (caller = ADMIN_TOKEN): Promise<number> => {
    const response = await read(`${PATH}/features`, caller);
    // On a slow machine, earlier lists may outlast the queue timeout.
    if (response.status === 503) return await list(caller);
    return ((await response.json()) as { features: unknown[] }).features.length;
  };
  expect(await list()).toBe(FEATURE_COUNT);
  const memoryBefore = readMemoryMb();
  let peak = memoryBefore;
  const memoryTimer = setInterval(() => (peak = Math.max(peak, readMemoryMb())), 10);

  const lengths = await Promise.all([...CALLERS, ...CALLERS].map(list));

  clearInterval(memoryTimer);
  await sleep(0);
  expect(lengths).toEqual(Array(6).fill(FEATURE_COUNT));
  expect(peak - memoryBefore).toBeLessThan(120);
});
