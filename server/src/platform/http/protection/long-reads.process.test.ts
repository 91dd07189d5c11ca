import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, urlOf } from '../../../test/database.ts';
import { makeProject } from '../../../test/factories.ts';
import { ADMIN_TOKEN } from '../../../test/harness.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../test/process.ts';
import { type Db, openDb } from '../../db/database.ts';

const FEATURES = 6_000;
/** A caller reads two lists at a time; more of them wait. */
const CALLERS = [ADMIN_TOKEN, `${ADMIN_TOKEN}-2`, `${ADMIN_TOKEN}-3`];
const PATH = '/api/admin/projects/large';
const name = `halyard_long_reads_${randomBytes(6).toString('hex')}`;
let db: Db;
let server: RunningServer;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  db = openDb({ url: urlOf(name), poolSize: 2, onError: () => {} });
  await makeProject(db, { id: 'large' });
  // 4 kB each, so that a whole list does not fit into the buffers between server and client.
  await sql`
    insert into features (name, project, type, description)
    select 'flag-' || n, 'large', 'release', repeat('x', 4000) from generate_series(1, ${FEATURES}::integer) as n`.execute(
    db,
  );
  await sql`
    insert into feature_lifecycles (feature_name, stage)
    select name, 'initial' from features`.execute(db);
  server = await startProcess({
    DATABASE_URL: urlOf(name),
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
async function pausedClient(path: string) {
  const request = get(`${server.url}${path}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode === 200) response.pause();
  else response.resume();
  return { request, response };
}

test('clients that do not read their reports do not keep others waiting, and are cut off', async () => {
  const paused = Promise.all(Array.from({ length: 10 }, () => pausedClient(`${PATH}/health-report`)));
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

  // The clients do not notice that they were cut off, because they do not read.
  const cutOff = () => server.output().match(/"msg":"client stopped reading"/g)?.length ?? 0;
  const paths = [`${PATH}/features/flag-1`, '/api/admin/projects', PATH];
  const inTime = new Set<string>();
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => paths)
      .flat()
      .map(async path => {
        const { status } = await read(path);
        if (status === 200 && cutOff() === 0) inTime.add(path);
        return status;
      }),
  );
  // 503 is possible on a slow machine, where earlier reads may take longer than a request waits.
  expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([]);
  // A read that waits for the paused clients ends after the first of them is cut off.
  expect([...inTime].toSorted()).toEqual(paths.toSorted());

  const clients = await paused;
  const unread = clients.filter(({ response }) => response.statusCode === 200).length;
  expect(unread).toBeGreaterThan(0);
  for (const { response } of clients.filter(({ response }) => response.statusCode !== 200))
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
  await expect.poll(cutOff).toBe(unread);
  for (const { request } of clients) request.destroy();
  expect(await (await read(`${PATH}/health-report`)).json()).toMatchObject({ activeCount: FEATURES });
});

test('whole lists are sent in pieces: 6 lists of 6,000 flags at a time take little memory', async () => {
  const rss = () => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const list = async (caller = ADMIN_TOKEN): Promise<number> => {
    const response = await read(`${PATH}/features`, caller);
    // On a slow machine the lists before it may take longer than a request waits.
    if (response.status === 503) return await list(caller);
    return ((await response.json()) as { features: unknown[] }).features.length;
  };
  expect(await list()).toBe(FEATURES);
  const before = rss();
  let peak = before;
  const watching = setInterval(() => (peak = Math.max(peak, rss())), 10);

  const lengths = await Promise.all([...CALLERS, ...CALLERS].map(list));

  clearInterval(watching);
  await sleep(0);
  expect(lengths).toEqual(Array(6).fill(FEATURES));
  expect(peak - before).toBeLessThan(120);
});
