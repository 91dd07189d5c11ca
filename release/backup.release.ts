import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { findNewestPrograms, type OwnPostgres, startOwnPostgres } from '../bench/own-postgres.ts';
import { findFreePort } from '../server/scripts/demo/free-port.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../server/src/test/process.ts';
import { type Receiver, startReceiver } from '../server/src/test/receiver.ts';
import { getHalyardCommand, type ProcessResult, plainEnv, runToEnd } from './support/package.ts';
import { POSTGRES_USER, startPostgresWithoutExtension } from './support/postgres.ts';

const HALYARD = getHalyardCommand(inject('installFolder'));
const ENTRY = join(inject('installFolder'), 'node_modules/halyard/bin/halyard.cjs');
const PAGE = readFileSync(new URL('../docs/how-to/back-up-and-restore.md', import.meta.url), 'utf8');
const KEY = Buffer.alloc(32, 7).toString('base64');
const token = `*:*.${randomBytes(24).toString('hex')}`;

const source = `halyard_backup_${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'halyard-backup-'));
const dump = join(folder, 'whole.dump');
const env = {
  DATABASE_URL: getDatabaseUrl(source),
  HALYARD_SECRET_KEY: KEY,
  HALYARD_INIT_ADMIN_TOKENS: token,
  HALYARD_ALLOWED_TARGETS: '127.0.0.1',
  HALYARD_DELIVERY_SCHEDULE: '0,2,2,2,2,2,2,2',
  LOG_LEVEL: 'warn',
};
let receiver: Receiver;

const startServerOn = (databaseUrl: string): Promise<RunningServer> =>
  startProcess({ ...env, DATABASE_URL: databaseUrl }, undefined, ENTRY, ['server']);

async function send(
  url: string,
  method: string,
  path: string,
  body?: object,
  authorization = token,
): Promise<Response> {
  return await fetch(`${url}/api/${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function create<T = unknown>(url: string, path: string, body: object): Promise<T> {
  const response = await send(url, 'POST', path, body);
  expect(response.ok, `${path}: ${response.status} ${await response.clone().text()}`).toBe(true);
  return (await response.json()) as T;
}

/** Runs a statement on a database. */
async function query<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the commands below a heading of the page, in order. */
function readCommands(heading: string): string[] {
  const [, section = ''] = new RegExp(`\n## ${heading}\n([\\s\\S]*?)(?=\n## |$)`).exec(PAGE) ?? [];
  return [...section.matchAll(/```sh no-run\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

const runCommands = (commands = '', variables: Record<string, string> = {}): Promise<ProcessResult> =>
  runToEnd('bash', ['-euc', commands], {
    ...variables,
    PATH: `${join(HALYARD, '..')}:${plainEnv().PATH}:${findNewestPrograms()}`,
  });

const runDrill = (...args: string[]): Promise<ProcessResult> => runToEnd(HALYARD, ['drill', ...args], env);

const listDrillDatabases = () =>
  query<{ name: string }>(
    getDatabaseUrl('postgres'),
    `select datname as name from pg_database where datname like 'halyard_drill_%'`,
  );

type Tokens = { api: { secret: string }; feature: string };
let tokens: Tokens;

beforeAll(async () => {
  receiver = await startReceiver();
  await createDatabase(source);
  const server = await startServerOn(getDatabaseUrl(source));
  receiver.respondWith(503);
  await create(server.url, 'admin/addons', {
    provider: 'webhook',
    enabled: true,
    parameters: { url: receiver.url, authorization: 'Bearer secret' },
    events: ['feature-created'],
  });
  const api = await create<{ secret: string }>(server.url, 'admin/api-tokens', {
    tokenName: 'revoked later',
    type: 'backend',
    environment: 'development',
    projects: ['*'],
  });
  await create(server.url, 'admin/projects/default/features', { name: 'checkout', type: 'release' });
  await receiver.count(1);
  tokens = { api, feature: 'checkout' };
  const dumpResult = await runCommands(readCommands('Dump')[0]?.replace('halyard.dump', 'whole.dump'), {
    DATABASE_URL: getDatabaseUrl(source),
    BACKUP: folder,
  });
  expect(dumpResult).toEqual({ code: 0, output: '' });
  receiver.respondWith(200);
  await receiver.count(2);
  const response = await send(server.url, 'DELETE', `admin/api-tokens/${encodeURIComponent(api.secret)}`);
  expect(response.status).toBe(200);
  await vi.waitFor(
    async () =>
      expect((await send(server.url, 'GET', 'client/features', undefined, api.secret)).status).toBe(401),
    { timeout: 60_000 },
  );
  await stopProcess(server);
});
afterAll(async () => {
  await receiver.close();
  await dropDatabase(source);
  rmSync(folder, { recursive: true, force: true });
});

test('the drill passes with a usable backup, prints how long each step took, and leaves nothing behind', async () => {
  const { code, output } = await runDrill();

  expect(output).toMatch(/Dumped +\d+\.\d s +\d+\.\d MB\n/);
  expect(output).toMatch(/Restored +\d+\.\d s /);
  expect(output).toMatch(/Compared +\d+\.\d s +\d+ tables, \d+ rows, \d+ migrations, last event \d+ of 20/);
  expect(output).toMatch(/Started +\d+\.\d s .*, 0 migrations applied\n/);
  expect(output).toContain('The backup is usable.');
  expect(code).toBe(0);
  expect(await listDrillDatabases()).toEqual([]);
  expect(readdirSync(tmpdir()).filter(name => name.startsWith('halyard-drill-'))).toEqual([]);
});

test('the drill sends no deliveries from the copy', async () => {
  const deliveriesBefore = receiver.received.length;

  // The dump contains a delivery that is still pending.
  expect(await runDrill('--dump', dump)).toMatchObject({ code: 0 });

  expect(receiver.received.length).toBe(deliveriesBefore);
});

test.each([0.2, 0.6, 0.98])(
  'the drill detects a dump that is truncated to %d of its size',
  async fraction => {
    const cutDump = join(folder, 'cut.dump');
    execFileSync('cp', [dump, cutDump]);
    truncateSync(cutDump, Math.floor(statSync(dump).size * fraction));

    const { code, output } = await runDrill('--dump', cutDump);

    expect(output).toMatch(/Problem: pg_restore: error: .*(end of file|could not|unexpected)/);
    expect(code).toBe(10);
    expect(await listDrillDatabases()).toEqual([]);
  },
);

test('the drill detects a dump without the events', async () => {
  const partialDump = join(folder, 'partial.dump');
  execFileSync('pg_dump', [
    '-Fc',
    '-f',
    partialDump,
    '--exclude-table-data=events_p*',
    getDatabaseUrl(source),
  ]);

  const { code, output } = await runDrill('--dump', partialDump);

  expect(output).toMatch(/Problem: The dump has 0 events\. The source has [1-9]/);
  expect(code).toBe(10);
});

test('the drill detects a wrong or missing secret key', async () => {
  const wrongKeyResult = await runToEnd(HALYARD, ['drill'], {
    ...env,
    HALYARD_SECRET_KEY: Buffer.alloc(32, 8).toString('base64'),
  });
  const { HALYARD_SECRET_KEY: _, ...envWithoutKey } = env;
  const missingKeyResult = await runToEnd(HALYARD, ['drill'], envWithoutKey);

  for (const { code, output } of [wrongKeyResult, missingKeyResult]) {
    expect(output).toMatch(/Problem: [\s\S]*HALYARD_SECRET_KEY is not (the key|set)/);
    expect(code).toBe(10);
  }
  expect(await listDrillDatabases()).toEqual([]);
});

test('the drill detects a server without the pg_trgm extension', async () => {
  const otherServer = startPostgresWithoutExtension();
  try {
    const { code, output } = await runDrill('--scratch', otherServer.url);

    expect(output).toMatch(/Problem: .*extension "pg_trgm" is not available/s);
    expect(code).toBe(10);
    expect(
      await query(otherServer.url, `select from pg_database where datname like 'halyard_drill_%'`),
    ).toEqual([]);
  } finally {
    otherServer.remove();
  }
});

test('a drill that cannot run exits with 1', async () => {
  const { code, output } = await runToEnd(HALYARD, ['drill'], {
    ...env,
    DATABASE_URL: getDatabaseUrl('halyard_absent'),
  });

  expect(output).toContain('has no database "halyard_absent"');
  expect(code).toBe(1);
});

test('a server on a restored dump accepts tokens revoked since the dump, redelivers events and switches to a new epoch', async () => {
  // The page recommends a role that owns its database but is not a superuser.
  await query(
    getDatabaseUrl('postgres'),
    `do $$ begin create role halyard login; exception when duplicate_object then null; end $$`,
  );
  const restoredUrl = getDatabaseUrl('halyard_restored').replace(/\/\/[^@]*@/, '//halyard@');
  const readEpoch = async (url: string) => {
    const response = await send(url, 'GET', 'client/features', undefined, tokens.api.secret);
    return { status: response.status, etag: response.headers.get('etag') };
  };
  await dropDatabase('halyard_restored');
  try {
    const [, restore = ''] = readCommands('Dump');
    const { code, output } = await runCommands(restore.replace('halyard.dump', 'whole.dump'), {
      POSTGRES_URL: getDatabaseUrl('postgres'),
      RESTORED_URL: restoredUrl,
      BACKUP: folder,
    });
    expect(output).toContain('Every SDK reads everything again.');
    expect(code).toBe(0);
    const deliveriesBefore = receiver.received.length;
    const server = await startServerOn(restoredUrl);

    const firstEpoch = await readEpoch(server.url);
    expect(firstEpoch.status).toBe(200);
    await receiver.count(deliveriesBefore + 1);
    const [firstRequest, secondRequest] = [receiver.received.at(-2), receiver.received.at(-1)];
    expect(JSON.parse(secondRequest?.body ?? '').id).toBe(JSON.parse(firstRequest?.body ?? '').id);
    await runToEnd(HALYARD, ['sdk-documents', '--new-epoch'], { ...env, DATABASE_URL: restoredUrl });
    await expect.poll(async () => (await readEpoch(server.url)).etag).not.toBe(firstEpoch.etag);
    expect((await stopProcess(server)).code).toBe(0);
  } finally {
    await dropDatabase('halyard_restored');
  }
});

/** Waits until every finished WAL segment is in the archive. */
async function waitForArchive(url: string): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await query<{ done: boolean }>(
        url,
        `select coalesce(last_archived_wal >= pg_walfile_name(pg_switch_wal() - 1), false) as done from pg_stat_archiver`,
      );
      return row?.done;
    })
    .toBe(true);
}

test('a point-in-time restore brings back a deleted project, and starts a new epoch automatically', async () => {
  const backup = mkdtempSync(join(tmpdir(), 'halyard-pitr-'));
  const restoredData = join(backup, 'restored');
  chmodSync(backup, 0o777);
  mkdirSync(join(backup, 'wal'));
  chmodSync(join(backup, 'wal'), 0o777);
  const command = `test ! -f ${backup}/wal/%f && cp %p ${backup}/wal/%f`;
  const runAsPostgres = (commands = '', variables: Record<string, string>) =>
    runToEnd('runuser', ['-u', POSTGRES_USER, '--', 'bash', '-euc', commands], {
      ...variables,
      PATH: `${plainEnv().PATH}:${findNewestPrograms()}`,
    });
  let postgres: OwnPostgres | undefined;
  try {
    postgres = startOwnPostgres(findNewestPrograms(), POSTGRES_USER, [
      'archive_mode=on',
      `"archive_command=${command}"`,
    ]);
    const { url } = postgres;
    await query(url, `alter system set unix_socket_directories = '${backup}'`);
    const server = await startServerOn(url);
    await create(server.url, 'admin/projects', { id: 'payments', name: 'Payments' });
    const [backUp, finish, recover] = readCommands('Base backup and WAL');
    const variables = { POSTGRES_URL: url, BACKUP: backup, RESTORED: restoredData };
    const backupResult = await runAsPostgres(backUp, variables);
    expect(backupResult.output).toContain('backup successfully verified');
    expect(backupResult.code).toBe(0);
    await create(server.url, 'admin/projects/default/features', {
      name: 'after-the-backup',
      type: 'release',
    });
    const [{ now: MOMENT } = { now: '' }] = await query<{ now: string }>(url, 'select now()::text as now');

    expect((await send(server.url, 'DELETE', 'admin/projects/payments')).status).toBe(200);
    await stopProcess(server);
    expect((await runAsPostgres(finish, variables)).code).toBe(0);
    await waitForArchive(url);
    const PGPORT = String(await findFreePort());
    const recoverResult = await runAsPostgres(recover, { ...variables, MOMENT, PGPORT });
    expect(recoverResult.code, recoverResult.output).toBe(0);

    const restoredUrl = url.replace(/:\d+\//, `:${PGPORT}/`);
    await expect
      .poll(
        async () => (await query<{ in: boolean }>(restoredUrl, 'select pg_is_in_recovery() as in'))[0]?.in,
      )
      .toBe(false);
    const restoredServer = await startServerOn(restoredUrl);
    expect((await send(restoredServer.url, 'GET', 'admin/projects/payments/overview')).status).toBe(200);
    expect(
      (await send(restoredServer.url, 'GET', 'admin/projects/default/features/after-the-backup')).status,
    ).toBe(200);
    const [timeline] = await query<{ old: string }>(
      restoredUrl,
      'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as old',
    );
    expect(timeline?.old).not.toBe('00000001');
    await stopProcess(restoredServer);
  } finally {
    await runAsPostgres('pg_ctl --pgdata="$RESTORED" --mode=immediate --wait stop || true', {
      RESTORED: restoredData,
    });
    postgres?.remove();
    rmSync(backup, { recursive: true, force: true });
  }
});
