import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../../server/src/test/database.ts';
import { startProcess, stopProcess } from '../../../server/src/test/process.ts';

export type DemoInstance = {
  url: string;
  databaseUrl: string;
  /** The credentials of an admin. */
  login: { username: string; password: string };
  stop: () => Promise<void>;
};

const DEMO_DATA = fileURLToPath(new URL('../../../server/scripts/demo-data.ts', import.meta.url));

/** Starts a server on a new database with the demo's sample data. */
export async function startDemoInstance(settings: Record<string, string> = {}): Promise<DemoInstance> {
  const name = `halyard_story_${randomBytes(6).toString('hex')}`;
  const env = { DATABASE_URL: getDatabaseUrl(name), HALYARD_SECRET_KEY: randomBytes(32).toString('base64') };
  await createDatabase(name);
  const { stdout } = await promisify(execFile)(process.execPath, [DEMO_DATA], {
    env: { PATH: process.env.PATH, ...env },
  });
  const [, password] = /ada .*password (\S+)/.exec(stdout) ?? [];
  if (password === undefined) throw new Error(`The sample data has no password for ada:\n${stdout}`);
  const running = await startProcess({
    ...env,
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'warn',
    ...settings,
  });
  return {
    url: `http://localhost:${running.port}`,
    databaseUrl: getDatabaseUrl(name),
    login: { username: 'ada', password },
    stop: async () => {
      await stopProcess(running);
      await dropDatabase(name);
    },
  };
}

/** Starts a server on a new database with one admin and no other data. */
export async function startEmptyInstance(): Promise<DemoInstance> {
  const name = `halyard_story_${randomBytes(6).toString('hex')}`;
  const login = { username: 'ada', password: randomBytes(15).toString('base64url') };
  await createDatabase(name);
  const running = await startProcess({
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    HALYARD_INIT_ADMIN_USERNAME: login.username,
    HALYARD_INIT_ADMIN_PASSWORD: login.password,
    LOG_LEVEL: 'warn',
  });
  return {
    url: `http://localhost:${running.port}`,
    databaseUrl: getDatabaseUrl(name),
    login,
    stop: async () => {
      await stopProcess(running);
      await dropDatabase(name);
    },
  };
}
