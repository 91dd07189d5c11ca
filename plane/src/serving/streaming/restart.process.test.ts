import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Db, openDb } from '../../../../server/src/platform/db/database.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../../../server/src/test/database.ts';
import { makeApiToken } from '../../../../server/src/test/factories.ts';
import {
  type RunningServer,
  startProcess,
  stopProcess,
  unwatch,
} from '../../../../server/src/test/process.ts';
import { putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { openStream } from '../../../../server/src/test/sdk-stream.ts';

const name = `halyard_restart_${randomBytes(4).toString('hex')}`;
const env = { DATABASE_URL: getDatabaseUrl(name) };
let db: Db;
let server: RunningServer;
let token: string;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  server = await startProcess(env);
  db = openDb({ url: env.DATABASE_URL, poolSize: 1, onError: () => {} });
  const fields = { tokenName: 'restart', type: 'backend' as const, environment: 'production' };
  token = (await makeApiToken(db, fields)).secret;
});
afterAll(async () => {
  await db.destroy();
  await discardDatabase(name);
});

const feature = (label: string) => ({ name: label, enabled: true, strategies: [], variants: [] });
const put = async (label: string) => await putDocuments(db, 'production', { features: [feature(label)] });

test('after the server is killed and restarted, clients get only what they missed', async () => {
  await put('a');
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(server.url, token)));
  for (const { received } of streams) await expect.poll(() => received).toHaveLength(1);

  unwatch(server);
  await stopProcess(server, 'SIGKILL');
  await put('b');
  server = await startProcess(env);

  for (const { received } of streams) {
    const resumedStream = await openStream(server.url, token, { 'last-event-id': received[0]?.id ?? '' });
    await expect.poll(() => resumedStream.received).toHaveLength(1);
    expect(resumedStream.received[0]).toMatchObject({
      name: 'unleash-connected',
      events: [{ type: 'feature-updated', feature: { name: 'b' } }],
    });
    expect(resumedStream.bytes()).toBeLessThan(1_000);
    resumedStream.close();
  }
});

test('SIGTERM ends all streams, even if a client does not read, and the process exits with 0', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => openStream(server.url, token)));
  for (const { received } of streams) await expect.poll(() => received).toHaveLength(1);
  streams[0]?.response.pause();

  unwatch(server);
  const { code } = await stopProcess(server);

  expect(code).toBe(0);
  streams[0]?.response.resume();
  await Promise.all(streams.map(({ closed }) => closed));
  const lastLines = streams.map(({ lines }) => lines.at(-1));
  expect(lastLines).toEqual(lastLines.map(() => expect.stringMatching(/^retry: \d{4}$/)));
  expect(new Set(lastLines).size).toBeGreaterThan(25);
});
