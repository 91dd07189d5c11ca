import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';
import { startProcess, stopProcess } from '../server/src/test/process.ts';

const ENTRY = join(inject('installFolder'), 'node_modules/halyard/bin/halyard.cjs');
const REQUESTS = 10_000;
const CONCURRENCY = 10;
const MAX_READY_MB = 150;
const MAX_AFTER_REQUESTS_MB = 250;

const database = `halyard_memory_${process.pid}`;
const token = `*:*.${randomBytes(24).toString('hex')}`;
afterAll(async () => await dropDatabase(database));

const readMemoryMb = (pid: number | undefined): number => {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
};

/** Returns the nth request. Every tenth writes, and the others read flags, search results, events, the console and SDK data. */
function buildRequest(n: number, sdkToken: string): [path: string, init: RequestInit] {
  const admin = { headers: { authorization: token } };
  const json = { authorization: token, 'content-type': 'application/json' };
  const reads: [string, RequestInit][] = [
    ['/api/admin/projects/default/features', admin],
    [`/api/admin/search/features?query=flag-${n % 100}`, admin],
    ['/api/admin/search/events?limit=50', admin],
    ['/api/admin/projects/default/health', admin],
    ['/api/admin/projects', admin],
    ['/', { headers: { accept: 'text/html' } }],
    ['/api/client/features', { headers: { authorization: sdkToken } }],
    [`/api/admin/projects/default/features/flag-${Math.floor(n / 100)}`, admin],
    ['/api/admin/search/events?query=flag&limit=20', admin],
  ];
  if (n % 10 !== 0) return reads[(n % 10) - 1] ?? reads[0] ?? ['/', {}];
  const body = JSON.stringify({ name: `flag-${n}`, type: 'release' });
  return ['/api/admin/projects/default/features', { method: 'POST', headers: json, body }];
}

test('the server uses at most 150 MB once it is ready, and at most 250 MB after 10,000 mixed requests', async () => {
  await createDatabase(database);
  const env = {
    DATABASE_URL: getDatabaseUrl(database),
    HALYARD_INIT_ADMIN_TOKENS: token,
    HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'warn',
  };
  const firstServer = await startProcess(env, undefined, ENTRY, ['server']);
  await stopProcess(firstServer);
  const server = await startProcess(env, undefined, ENTRY, ['server']);
  const readyMb = readMemoryMb(server.process.pid);
  const response = await fetch(`${server.url}/api/admin/api-tokens`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      tokenName: 'memory',
      type: 'backend',
      environment: 'development',
      projects: ['*'],
    }),
  });
  const { secret } = (await response.json()) as { secret: string };

  const statuses = new Map<number, number>();
  let nextRequest = 0;
  const send = async () => {
    while (nextRequest < REQUESTS) {
      const [path, init] = buildRequest(nextRequest++, secret);
      const response = await fetch(server.url + path, init);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  const afterRequestsMb = readMemoryMb(server.process.pid);
  console.log(
    `memory: ${readyMb.toFixed(0)} MB ready, ${afterRequestsMb.toFixed(0)} MB after ${REQUESTS} requests`,
    statuses,
  );
  expect((await stopProcess(server)).code).toBe(0);

  // On a busy machine, a request may be rejected with 503 because it waited too long.
  expect([...statuses.keys()].filter(status => status >= 500 && status !== 503)).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2);
  expect(readyMb).toBeLessThanOrEqual(MAX_READY_MB);
  expect(afterRequestsMb).toBeLessThanOrEqual(MAX_AFTER_REQUESTS_MB);
});
