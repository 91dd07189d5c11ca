import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../server/src/test/database.ts';
import { findFreePort } from '../server.ts';

// Runs Unleash's npm package in a temp folder as a separate process with an empty database. No part of Unleash ships with Halyard.

/** The newest release of each major version that can be imported. */
export const VERSIONS = ['4.19.5', '5.12.8', '6.10.1', '7.6.5', '8.2.0'] as const;
export const NEWEST_VERSION = '8.2.0';
export const ADMIN_TOKEN = '*:*.an-admin-token-for-tests-0123456789';

const READY_TIMEOUT_MS = 300_000;
const RATE_LIMITS = [
  'SIMPLE_LOGIN_LIMIT_PER_MINUTE',
  'CREATE_USER_RATE_LIMIT_PER_MINUTE',
  'PASSWORD_RESET_RATE_LIMIT_PER_MINUTE',
  'PASSWORD_RESET_LIMIT_PER_MINUTE',
  'REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE',
  'CLIENT_METRICS_RATE_LIMIT_PER_MINUTE',
  'REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE',
  'FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE',
];

export type Instance = {
  version: string;
  url: string;
  databaseUrl: string;
  /** Runs the work while Unleash is paused, so that its own jobs write nothing. */
  whilePaused: (work: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts Unleash with an empty database. Stopping it drops the database. */
export async function startUnleash(version: string, env: Record<string, string> = {}): Promise<Instance> {
  const folder = join(tmpdir(), `halyard-unleash-${version}`);
  const main = join(folder, 'node_modules/unleash-server/dist/server.js');
  if (!existsSync(main)) install(version, folder);
  const database = `unleash_${randomBytes(6).toString('hex')}`;
  await createDatabase(database);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [main], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      TZ: 'UTC',
      PORT: String(port),
      HTTP_HOST: '127.0.0.1',
      UNLEASH_URL: url,
      DATABASE_URL: getDatabaseUrl(database),
      DATABASE_SSL: 'false',
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      CHECK_VERSION: 'false',
      SEND_TELEMETRY: 'false',
      LOG_LEVEL: 'fatal',
      ...Object.fromEntries(RATE_LIMITS.map(name => [name, '20000'])),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const reportExit = (code: number | null) => console.error(`Unleash ${version} exited with ${code}`);
  server.once('exit', reportExit);
  const stop = async () => {
    server.off('exit', reportExit);
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
    await dropDatabase(database);
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (
    !(await fetch(`${url}/api/admin/projects`, { headers: { authorization: ADMIN_TOKEN } })
      .then(response => response.ok)
      .catch(() => false))
  ) {
    if (Date.now() > deadline || server.exitCode !== null) {
      await stop();
      throw new Error(`Unleash ${version} was not ready in time`);
    }
    await sleep(500);
  }
  const whilePaused = async (work: () => Promise<void>) => {
    server.kill('SIGSTOP');
    try {
      await work();
    } finally {
      server.kill('SIGCONT');
    }
  };
  return { version, url, databaseUrl: getDatabaseUrl(database), whilePaused, stop };
}

function install(version: string, folder: string): void {
  console.log(`Installing unleash-server ${version} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', '--prefix', folder, ...options, `unleash-server@${version}`];
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm could not install unleash-server ${version}`);
}
