import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { COMPILE_CACHE } from '../../src/test/compile-cache.ts';
import { copyDatabase, dropDatabase, getDatabaseUrl } from '../../src/test/database.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const suffix = randomBytes(4).toString('hex');
const source = `halyard_drilled_${suffix}`;
const role = `halyard_drill_role_${suffix}`;
/** A separate temp folder, so that other drills do not interfere. */
const temporary = mkdtempSync(join(tmpdir(), 'halyard-drilled-'));

beforeAll(async () => {
  await copyDatabase(inject('template'), source);
  await query(`create role ${role} login`);
});
afterAll(async () => {
  await dropDatabase(source);
  await query(`drop role ${role}`);
  rmSync(temporary, { recursive: true });
});

async function query<T extends pg.QueryResultRow>(statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await client.connect();
  const { rows } = await client.query<T>(statement).finally(() => client.end());
  return rows;
}

type Drill = {
  pid: number;
  kill: (signal: NodeJS.Signals) => void;
  output: () => string;
  exited: Promise<number | null>;
};

function startDrill(args: string[] = [], env: Record<string, string> = {}): Drill {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      DATABASE_URL: getDatabaseUrl(source),
      TMPDIR: temporary,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a separate process group, so that the test can signal the whole group as a terminal does.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const { pid = 0 } = child;
  return {
    pid,
    kill: signal => process.kill(-pid, signal),
    output: () => output,
    exited: once(child, 'close').then(([code]) => code),
  };
}

/** Waits until the drill's output matches. Fails if the drill ends before that. */
async function waitForOutput({ exited, output }: Drill, pattern: RegExp): Promise<void> {
  let exitCode: number | null | undefined;
  void exited.then(code => {
    exitCode = code;
  });
  while (!pattern.test(output())) {
    if (exitCode !== undefined)
      throw new Error(`The drill exited with ${exitCode} before it printed ${pattern}:\n${output()}`);
    await setTimeout(5);
  }
}

async function drill(args: string[] = [], env: Record<string, string> = {}) {
  const { exited, output } = startDrill(args, env);
  return { code: await exited, output: output() };
}

/** Lists the scratch databases of this file's drills. Other drills may run on the same PostgreSQL server. */
const listScratchDatabases = async (): Promise<string[]> =>
  (
    await query<{ name: string }>(
      `select datname as name from pg_database where shobj_description(oid, 'pg_database') like '%drill of ${source}'`,
    )
  ).map(({ name }) => name);

const listFolders = (): string[] => readdirSync(temporary).filter(name => name.startsWith('halyard-drill-'));

test.each([
  [['--jobs', '0'], "--jobs must be a whole number from 1 to 64, not '0'"],
  [['--jobs', 'all'], "--jobs must be a whole number from 1 to 64, not 'all'"],
  [['--scratch', 'foo'], '--scratch must start with postgres:// or postgresql://'],
])('drill %j exits with 2 before any work', async (args, problem) => {
  expect(await drill(args)).toEqual({
    code: 2,
    output: `${problem}. Run npm run drill -- --help for all options.\n`,
  });
});

test('a drill that cannot run exits with 1 and a one-line message before it dumps anything', async () => {
  const emptyFolder = join(temporary, 'empty');
  mkdirSync(emptyFolder);
  symlinkSync(process.execPath, join(emptyFolder, 'node'));
  const roleUrl = new URL(getDatabaseUrl(source));
  roleUrl.username = role;
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['--dump', 'nope.dump'], {}, /^The dump nope\.dump cannot be read: ENOENT\. Check --dump\.$/m],
    [[], { PATH: emptyFolder }, /^pg_dump is not installed\./m],
    [
      [],
      { DATABASE_URL: roleUrl.href },
      new RegExp(
        `^Role ${role} at .* has no permission .*: alter role ${role} createdb\\. .* --scratch\\.$`,
        'm',
      ),
    ],
    [
      ['--scratch', 'postgres://postgres@127.0.0.1:1/postgres'],
      {},
      /^No scratch database: Cannot connect to PostgreSQL at 127\.0\.0\.1:1: connection refused\. Check the URL of --scratch/m,
    ],
  ];

  for (const [args, env, expected] of cases) {
    const { code, output } = await drill(args, env);

    expect(output).toMatch(expected);
    expect(output).not.toMatch(/Dumped|Problem|^\s+at /m);
    expect(code).toBe(1);
  }
  expect(listFolders()).toEqual([]);
});

test.each<[NodeJS.Signals, RegExp]>([
  ['SIGINT', /Database: /],
  ['SIGINT', /Dumped/],
  ['SIGTERM', /Compared/],
])('%s after %s stops the drill with exit code 1 and cleans up', async (signal, moment) => {
  const drillRun = startDrill();
  await waitForOutput(drillRun, moment);

  drillRun.kill(signal);

  expect(await drillRun.exited, drillRun.output()).toBe(1);
  expect(drillRun.output()).toContain('The drill was stopped.');
  expect(drillRun.output()).not.toMatch(/Problem|usable|"level"|^\s+at /m);
  expect(listFolders()).toEqual([]);
  expect(await listScratchDatabases()).toEqual([]);
});

test("only the drill's user can read the dump, and the next drill removes what a killed drill left behind", async () => {
  const killedDrill = startDrill();
  // Not during the restore, because pg_restore would outlive the drill and keep using the database.
  await waitForOutput(killedDrill, /Restored/);
  const [folder = ''] = listFolders();
  expect(statSync(join(temporary, folder)).mode & 0o777).toBe(0o700);
  killedDrill.kill('SIGKILL');
  await killedDrill.exited;
  const leftDatabases = await listScratchDatabases();
  expect(listFolders()).toEqual([folder]);
  expect(leftDatabases).toHaveLength(1);
  // PostgreSQL does not notice that the killed drill is gone until it writes to the drill's session, so the test ends the session.
  await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${leftDatabases[0]}'`);

  const { code, output } = await drill();

  expect(code, output).toBe(0);
  expect(output).toContain(
    `Removed the database ${leftDatabases[0]}, which an interrupted drill left behind.`,
  );
  expect(output).toContain(
    `Removed the folder ${join(temporary, folder)}, which an interrupted drill left behind.`,
  );
  expect(listFolders()).toEqual([]);
  expect(await listScratchDatabases()).toEqual([]);
});

test('a kept scratch database is not removed by the next drill', async () => {
  const { output } = await drill(['--keep']);
  const [, kept = ''] = /The scratch database (\S+) was kept/.exec(output) ?? [];
  expect(kept, output).not.toBe('');
  try {
    const nextDrill = await drill();

    expect(nextDrill.code, nextDrill.output).toBe(0);
    expect(nextDrill.output).not.toContain(kept);
    expect(await query(`select from pg_database where datname = '${kept}'`)).toHaveLength(1);
  } finally {
    await dropDatabase(kept);
  }
});
