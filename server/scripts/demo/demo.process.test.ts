import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';
import { startServer } from '../../src/server.ts';
import { COMPILE_CACHE } from '../../src/test/compile-cache.ts';
import { copyDatabase, createDatabase, dropDatabase, getDatabaseUrl } from '../../src/test/database.ts';
import { findReason, getCacheFolder } from './download.ts';
import { findFreePort } from './free-port.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'halyard-demos-'));
const PLATFORM = `${process.platform}-${process.arch}`;
const cache = join(folder, 'halyard-demo');
afterAll(() => rmSync(folder, { recursive: true }));

function startDemo(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...COMPILE_CACHE, PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, exited: exit, output: () => output };
}

async function runDemo(args: string[], env: Record<string, string>) {
  const { exited, output } = startDemo(args, env);
  return { code: await exited, output: output() };
}

async function query<T extends pg.QueryResultRow>(statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await client.connect();
  const { rows } = await client.query<T>(statement).finally(() => client.end());
  return rows;
}

/** Opens a port on which another process listens. */
async function openUsedPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

test('validates the settings before it does any work', async () => {
  const { port, close } = await openUsedPort();
  const cases: [string[], Record<string, string>, number, string][] = [
    [['--postgres-port', 'abc'], {}, 2, "--postgres-port must be a port from 1 to 65535, not 'abc'."],
    [[], { PORT: 'abc' }, 1, 'PORT must be a whole number from 0 to 65535, not "abc".'],
    [[], { DATABASE_URL: 'foo' }, 1, 'DATABASE_URL must start with postgres:// or postgresql://.'],
    [
      [],
      { PORT: String(port), DATABASE_URL: getDatabaseUrl('postgres') },
      1,
      `Cannot listen on 127.0.0.1:${port}: another process uses this port.`,
    ],
  ];

  for (const [args, env, code, message] of cases) {
    const exit = await runDemo(args, env);

    expect(exit.output).toContain(message);
    expect(exit.output).not.toMatch(/✓|^\s+at /m);
    expect(exit.code).toBe(code);
  }
  close();
});

test('a server that cannot listen leaves no database connections open', async () => {
  const name = `halyard_listen_${randomBytes(4).toString('hex')}`;
  await copyDatabase(inject('template'), name);
  const { port, close } = await openUsedPort();
  const config = readConfig({
    DATABASE_URL: getDatabaseUrl(name),
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'silent',
  });

  await expect(startServer(config)).rejects.toThrow('another process uses this port');

  await expect.poll(() => query(`select from pg_stat_activity where datname = '${name}'`)).toEqual([]);
  close();
  await dropDatabase(name);
});

test('lists databases that killed demos left behind, and --keep keeps nothing until the demo is ready', async () => {
  const oldDatabase = `halyard_demo_${randomBytes(4).toString('hex')}`;
  await createDatabase(oldDatabase);
  try {
    const demo = startDemo(['--keep'], {
      DATABASE_URL: getDatabaseUrl('postgres'),
      PORT: String(await findFreePort()),
    });
    await expect.poll(demo.output).toMatch(/new database/);
    const rowsBefore = await query<{ name: string }>(
      `select datname as name from pg_stat_activity where datname ~ '^halyard_demo_' group by 1`,
    );
    demo.child.kill('SIGTERM');

    expect(await demo.exited, demo.output()).toBe(0);
    expect(demo.output()).toMatch(
      new RegExp(`To remove them:\n[^]*dropdb --maintenance-db=postgres://\\S+ ${oldDatabase}\n`),
    );
    expect(demo.output()).not.toContain('To start a server');
    for (const { name } of rowsBefore)
      expect(await query(`select from pg_database where datname = '${name}'`)).toEqual([]);
  } finally {
    await dropDatabase(oldDatabase);
  }
});

test('reports a failed download immediately with its cause, and leaves nothing behind', async () => {
  const { code, output } = await runDemo(['--postgres-port', String(await findFreePort())], {
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_cache: join(folder, 'npm'),
  });

  expect(output).toMatch(/… Download PostgreSQL \(24 MB\) to \S+\n/);
  expect(output).toMatch(
    /npm cannot download .*: .*ECONNREFUSED.*\. Start a PostgreSQL server and set DATABASE_URL/,
  );
  expect(code).toBe(1);
  expect(readdirSync(cache)).toEqual([]);
});

/** Lists the folders that demos are downloading into. */
const listDownloads = () =>
  existsSync(cache) ? readdirSync(cache).filter(name => existsSync(join(cache, name, 'part'))) : [];

/** Starts a demo whose download takes this many seconds, and waits until the download has begun. */
async function startDownload(seconds: number) {
  const npm = join(folder, 'npm.js');
  writeFileSync(npm, `require('node:fs').writeFileSync('part', ''); setTimeout(() => {}, ${seconds}e3);`);
  const partsBefore = listDownloads().length;
  const demo = startDemo(['--postgres-port', String(await findFreePort())], { npm_execpath: npm });
  await expect.poll(listDownloads).toHaveLength(partsBefore + 1);
  return demo;
}

test('an interrupted download leaves nothing in the cache', async () => {
  const demo = await startDownload(600);

  demo.child.kill('SIGTERM');

  expect(await demo.exited, demo.output()).toBe(0);
  expect(readdirSync(cache)).toEqual([]);
});

test('a demo removes the download of a killed demo and a folder without programs, but not a running download', async () => {
  const otherDemo = await startDownload(600);
  const [runningDownload = ''] = listDownloads();
  const killedDemo = await startDownload(15);
  killedDemo.child.kill('SIGKILL');
  // Waits for 'exit' rather than 'close', because npm keeps the output open.
  if (killedDemo.child.signalCode === null) await once(killedDemo.child, 'exit');
  expect(listDownloads()).toHaveLength(2);
  mkdirSync(join(cache, basename(getCacheFolder(PLATFORM)), 'native'), { recursive: true });

  const { code } = await runDemo(['--postgres-port', String(await findFreePort())], {
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_cache: join(folder, 'npm'),
  });

  expect(code).toBe(1);
  expect(readdirSync(cache)).toEqual([runningDownload]);
  otherDemo.child.kill('SIGTERM');
  await Promise.all([otherDemo.exited, killedDemo.exited]);
});

/** Puts fake programs into the cache, as if the demo had downloaded PostgreSQL. */
function cacheFakePostgres(xdg: string, initdb: string): void {
  const programs = join(xdg, 'halyard-demo', basename(getCacheFolder(PLATFORM)), 'native/bin');
  mkdirSync(programs, { recursive: true });
  const scripts = {
    initdb,
    // Never becomes ready, like a PostgreSQL server that is still starting.
    postgres: `trap 'exit 0' INT; echo $$ > "$TMPDIR/postgres.pid"; while :; do sleep 0.1; done`,
  };
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test.each([
  ['initdb runs', 'touch "$TMPDIR/initdb.pid"; sleep 1; mkdir data', 'initdb.pid'],
  ['PostgreSQL starts', 'mkdir data', 'postgres.pid'],
])(
  'a demo with --keep that is stopped while %s leaves no process and no files',
  async (_, initdb, pidFile) => {
    const xdg = mkdtempSync(join(tmpdir(), 'halyard-fake-'));
    const temporary = join(xdg, 'tmp');
    mkdirSync(temporary);
    // If root runs the tests, the programs run as a different user.
    for (const path of [xdg, temporary]) chmodSync(path, 0o777);
    cacheFakePostgres(xdg, initdb);
    const demo = startDemo(['--keep', '--postgres-port', String(await findFreePort())], {
      XDG_CACHE_HOME: xdg,
      TMPDIR: temporary,
    });
    try {
      await expect.poll(() => readdirSync(temporary) as string[]).toContain(pidFile);

      demo.child.kill('SIGINT');

      expect(await demo.exited, demo.output()).toBe(0);
      expect(demo.output()).not.toMatch(/^\s+at |Error/m);
      expect(readdirSync(temporary)).toEqual([pidFile]);
      const pid = readFileSync(join(temporary, pidFile), 'utf8').trim();
      if (pid !== '') expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    } finally {
      rmSync(xdg, { recursive: true });
    }
  },
);

test('if the cache folder is not writable, the message names the folder and the variables to set', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { code, output } = await runDemo(['--postgres-port', String(await findFreePort())], {
    XDG_CACHE_HOME: file,
  });

  expect(output).toMatch(
    /^Cannot write to the cache folder \S+\/file\/halyard-demo: ENOTDIR\. Set XDG_CACHE_HOME .* DATABASE_URL/m,
  );
  expect(code).toBe(1);
});

test.each([
  ['npm error code E404\nnpm error 404 Not Found - GET https://x\n', '404 Not Found - GET https://x'],
  ['Command failed\nnpm error code X\nnpm error errno X\nnpm error Out of luck.\n', 'Out of luck'],
])('finds the reason in %j', (output, reason) => {
  expect(findReason(output)).toBe(reason);
});
