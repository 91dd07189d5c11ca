// Restarts two servers behind nginx, one after the other, under load. It passes when no request failed.
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { makeApiToken } from '../../server/src/test/factories.ts';
import { openStream } from '../../server/src/test/sdk-stream.ts';
import { ADMIN_TOKEN, printMachine, type Server, startServer } from '../server.ts';
import { startNginx } from './nginx.ts';

const options = readOptions({
  run: 'npm run campaign:restart',
  does: 'Restarts two servers behind nginx under load, one after the other, and counts failed requests.',
  options: {
    rounds: { type: 'string', default: '10', meaning: 'Restarts of each server' },
    nginx: {
      type: 'string',
      default: 'default',
      meaning: 'default, or sample for deploy/nginx/halyard.conf',
    },
    delay: { type: 'string', default: '15', meaning: 'HALYARD_SHUTDOWN_DELAY_SECONDS' },
    port: { type: 'string', default: '7450', meaning: 'Port of nginx; the servers use the next two' },
  },
});

// Each start of a server adds listeners.
process.setMaxListeners(0);

const site = options.nginx === 'sample' ? 'sample' : 'default';
const PORT = Number(options.port);
const ENTRY = `http://127.0.0.1:${PORT}`;
const PAUSE_MS = 50;
const STREAMS = 20;

type Count = { sent: number; failed: Map<string, number> };
const counts = new Map<string, Count>();

function note(kind: string, failure?: string): void {
  const count = counts.get(kind) ?? { sent: 0, failed: new Map() };
  count.sent++;
  if (failure !== undefined) count.failed.set(failure, (count.failed.get(failure) ?? 0) + 1);
  counts.set(kind, count);
}

const name = `halyard_restarts_${randomBytes(4).toString('hex')}`;
await createDatabase(name);
const database = new URL(urlOf(name));
const start = (at: number) => startServer(database, PORT + 1 + at, Number(options.delay));
const servers: Server[] = [await start(0), await start(1)];
const db = openDb({ url: database.href, poolSize: 1, onError: () => {} });
await printMachine(db);
const { secret: token } = await makeApiToken(db, {
  tokenName: 'restart',
  type: 'backend',
  environment: 'production',
});
const stopNginx = await startNginx(site, PORT, [PORT + 1, PORT + 2]);
let isRunning = true;

/** Sends requests of one kind, one after the other, until the end. */
async function send(kind: string, path: string, init: () => RequestInit, expected: number[]): Promise<void> {
  while (isRunning) {
    const failure = await fetch(`${ENTRY}${path}`, init()).then(
      async response => {
        await response.arrayBuffer();
        return expected.includes(response.status) ? undefined : String(response.status);
      },
      error => String(error.cause?.code ?? error.message),
    );
    note(kind, failure);
    await sleep(PAUSE_MS);
  }
}

/** Keeps a stream open: it reconnects when the server ends it, as SDKs do. */
async function keepStream(): Promise<void> {
  while (isRunning) {
    const stream = await openStream(ENTRY, token).catch(error => error as Error);
    note(
      'stream',
      stream instanceof Error ? stream.message : stream.status === 200 ? undefined : String(stream.status),
    );
    if (stream instanceof Error) continue;
    while (isRunning && !stream.isClosed()) await sleep(100);
    stream.close();
  }
}

const admin = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
const sdk = { authorization: token, 'content-type': 'application/json' };
const body = (value: object) => JSON.stringify(value);
const load = [
  ...[1, 2].map(() => send('read', '/api/admin/projects', () => ({ headers: admin }), [200])),
  ...[1, 2, 3].map(() =>
    send(
      'write',
      '/api/admin/projects/default/features',
      () => ({ method: 'POST', headers: admin, body: body({ name: `f-${randomBytes(8).toString('hex')}` }) }),
      [201],
    ),
  ),
  ...[1, 2].map(() => send('poll', '/api/client/features', () => ({ headers: sdk }), [200])),
  ...[1, 2, 3].map(() =>
    send(
      'metrics',
      '/api/client/register',
      () => ({
        method: 'POST',
        headers: sdk,
        body: body({
          appName: 'restart',
          instanceId: 'one',
          started: new Date(),
          interval: 10_000,
          strategies: [],
        }),
      }),
      [202],
    ),
  ),
  ...Array.from({ length: STREAMS }, keepStream),
];

try {
  for (let round = 1; round <= Number(options.rounds); round++) {
    for (const at of [0, 1]) {
      const began = performance.now();
      await servers[at]?.stop();
      servers[at] = await start(at);
      const took = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(
        `round ${round}, server ${at + 1}: ${took} s, ${failed()} failed, load ${loadavg()[0]?.toFixed(1)}`,
      );
    }
  }
  isRunning = false;
  await Promise.all(load);
  for (const [kind, { sent, failed: by }] of counts)
    console.log(
      `${kind}: ${sent} sent, failed: ${[...by].map(([why, n]) => `${n} × ${why}`).join(', ') || 'none'}`,
    );
  process.exitCode = failed() === 0 ? 0 : 1;
} finally {
  isRunning = false;
  await stopNginx();
  await db.destroy();
  for (const server of servers) await server.stop();
  await dropDatabase(name);
}

function failed(): number {
  return [...counts.values()].flatMap(count => [...count.failed.values()]).reduce((sum, n) => sum + n, 0);
}
