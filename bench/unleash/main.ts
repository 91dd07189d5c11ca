import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { writeRecording } from '../../server/src/test/unleash/file.ts';
import { run, type Send } from '../../server/src/test/unleash/run.ts';
import { freePort } from '../server.ts';

// Records how Unleash responds: starts its npm package as a separate program with an empty database, and sends every request
// of server/src/test/unleash/requests/. The recording has statuses, field names and types, and no values.

const VERSION = '8.2.0';
const ADMIN_TOKEN = '*:*.an-admin-token-for-tests-0123456789';
const READY_WITHIN_MS = 300_000;

const folder = join(tmpdir(), `halyard-unleash-${VERSION}`);
const main = join(folder, 'node_modules/unleash-server/dist/server.js');
if (!existsSync(main)) {
  console.log(`Installing unleash-server ${VERSION} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync(
    'npm',
    ['install', '--prefix', folder, ...options, `unleash-server@${VERSION}`],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(1);
}

const database = `unleash_${randomBytes(6).toString('hex')}`;
await createDatabase(database);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = spawn(process.execPath, [main], {
  cwd: folder,
  env: {
    PATH: process.env.PATH,
    TZ: 'UTC',
    PORT: String(port),
    HTTP_HOST: '127.0.0.1',
    UNLEASH_URL: url,
    DATABASE_URL: urlOf(database),
    DATABASE_SSL: 'false',
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    CHECK_VERSION: 'false',
    SEND_TELEMETRY: 'false',
    LOG_LEVEL: 'fatal',
    ...Object.fromEntries(
      [
        'SIMPLE_LOGIN_LIMIT_PER_MINUTE',
        'CREATE_USER_RATE_LIMIT_PER_MINUTE',
        'PASSWORD_RESET_RATE_LIMIT_PER_MINUTE',
        'PASSWORD_RESET_LIMIT_PER_MINUTE',
        'REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE',
        'CLIENT_METRICS_RATE_LIMIT_PER_MINUTE',
        'REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE',
        'FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE',
      ].map(name => [name, '20000']),
    ),
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  await until(async () => (await fetch(`${url}/health`)).ok, READY_WITHIN_MS);
  const recording = await run(send, ADMIN_TOKEN);
  writeRecording(recording);
  const cases = Object.values(recording).reduce((sum, one) => sum + Object.keys(one).length, 0);
  console.log(`Recorded ${cases} cases of ${Object.keys(recording).length} operations of Unleash ${VERSION}`);
} finally {
  server.kill();
  await once(server, 'exit');
  await dropDatabase(database);
}

async function send({ method, path, headers, body }: Parameters<Send>[0]): ReturnType<Send> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, origin: url },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const [cookie] = response.headers.getSetCookie();
  return {
    status: response.status,
    cookie: cookie?.split(';')[0],
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
  };
}

async function until(condition: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > end || server.exitCode !== null) throw new Error('Unleash did not get ready in time');
    await sleep(500);
  }
}
