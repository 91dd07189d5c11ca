import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { startUnleash } from 'unleash-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launch } from '../console/e2e/support/browser.ts';
import { watchProblems } from '../console/e2e/support/problems.ts';
import { findFreePort } from '../server/scripts/demo/free-port.ts';
import { getDatabaseUrl } from '../server/src/test/database.ts';
import { getHalyardCommand, plainEnv } from './support/package.ts';

const POSTGRES_PORT = new URL(getDatabaseUrl('postgres')).port || '5432';
const READY_TIMEOUT_MS = 500_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => await browser.close());

type DemoProcess = { child: ChildProcess; output: () => string };
type Demo = DemoProcess & { url: string; password: string; token: string };

/** Starts a demo on a free port, with its caches in the folder. */
async function spawnDemo(
  folder: string,
  [program = '', ...leadingArgs]: string[],
  args: string[],
): Promise<DemoProcess> {
  const port = await findFreePort();
  const child = spawn(program, [...leadingArgs, 'demo', ...args], {
    cwd: folder,
    env: plainEnv({
      npm_config_cache: join(folder, 'npm'),
      XDG_CACHE_HOME: join(folder, 'xdg'),
      TMPDIR: join(folder, 'tmp'),
      PORT: String(port),
    }),
    // A terminal sends signals to a whole process group, so the demo needs its own.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  return { child, output: () => output };
}

function killGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The process has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Starts the demo through npx with an empty cache, like someone who has only npm. */
async function startDemo(folder: string, args: string[]): Promise<Demo> {
  const npx = ['npx', '--yes', `--package=${inject('packageFile')}`, 'halyard'];
  const { child, output } = await spawnDemo(folder, npx, args);
  await expect
    .poll(() => output() + (child.exitCode ?? ''), { timeout: READY_TIMEOUT_MS })
    .toMatch(/Ctrl\+C|\d$/);
  const [, url = ''] = /Open {3}(\S+)/.exec(output()) ?? [];
  const [, password = ''] = /password (\S+)/.exec(output()) ?? [];
  const [, token = ''] = /admin token (\S+)/.exec(output()) ?? [];
  expect(url, output()).not.toBe('');
  return { child, url, password, token, output };
}

async function logIn(page: Page, { url, password }: Demo): Promise<void> {
  await page.goto(`${url}/flags`);
  await page.getByLabel('Username or email address').fill('ada');
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Creates a flag, clones it and searches for both. */
async function useConsole(page: Page, { url }: Demo): Promise<void> {
  await page.goto(`${url}/projects/default?edit=new`);
  await page.getByLabel('Name').fill('release-flag');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('heading', { level: 1, name: 'release-flag' }).waitFor();

  await page.getByRole('link', { name: 'Clone…' }).click();
  await page.getByLabel('Name of the copy').fill('release-copy');
  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'release-copy' }).waitFor();

  await page.goto(`${url}/flags?query=release-`);
  for (const name of ['release-flag', 'release-copy']) await page.getByRole('link', { name }).waitFor();
}

/** Enables the flag and reads it with an Unleash SDK. */
async function readFlag({ url, token }: Demo): Promise<void> {
  const send = async (path: string, body?: object) => {
    const response = await fetch(`${url}/api/admin${path}`, {
      method: 'POST',
      headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return await response.text();
  };
  await send('/projects/default/features/release-flag/environments/development/on');
  const responseText = await send('/api-tokens', {
    tokenName: 'release',
    type: 'backend',
    environment: 'development',
    projects: ['default'],
  });
  const { secret } = JSON.parse(responseText) as { secret: string };
  const flags = await startUnleash({
    url: `${url}/api/`,
    appName: 'release',
    customHeaders: { Authorization: secret },
    disableMetrics: true,
  });
  await expect.poll(() => flags.isEnabled('release-flag')).toBe(true);
  flags.destroy();
}

async function listDemoDatabases(): Promise<string[]> {
  const client = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await client.connect();
  const { rows } = await client.query("select datname from pg_database where datname like 'halyard_demo_%'");
  await client.end();
  return rows.map(({ datname }) => datname);
}

/** Creates a folder for caches and temporary files. If root runs the tests, PostgreSQL runs as another user, who must have access. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-npx-'));
  mkdirSync(join(folder, 'tmp'));
  for (const path of [folder, join(folder, 'tmp')]) chmodSync(path, 0o755);
  return folder;
}

/** Lists the folders of PostgreSQL servers that demos left behind. */
const listDemoFolders = (folder: string): string[] =>
  readdirSync(join(folder, 'tmp')).filter(name => name.startsWith('halyard-demo-'));

const readChildPids = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Returns the process id of halyard, which npx starts through a shell. */
function findHalyard(npx: ChildProcess): number {
  const [shell = 0] = readChildPids(npx.pid ?? 0);
  const [halyard] = readChildPids(shell);
  return halyard ?? shell;
}

test.each([
  ['with PostgreSQL on the port', POSTGRES_PORT],
  ['without PostgreSQL on the port', 'free'],
])('npx halyard demo %s opens the console, serves flags and cleans up', async (_case, port) => {
  const folder = makeFolder();
  const postgresPort = port === 'free' ? String(await findFreePort()) : port;
  const databasesBefore = await listDemoDatabases();
  const startedAt = performance.now();
  const demo = await startDemo(folder, ['--postgres-port', postgresPort]);
  try {
    const page = await browser.newPage();
    const problems = watchProblems(page);
    await page.goto(demo.url);
    await page.getByRole('heading', { name: 'Log in to Halyard' }).waitFor();
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`${seconds.toFixed(1)} s from npx to the first page\n${demo.output()}`);
    await logIn(page, demo);
    await useConsole(page, demo);
    await readFlag(demo);
    await page.close();
    expect(problems()).toEqual([]);
    expect(listDemoFolders(folder)).toHaveLength(port === 'free' ? 1 : 0);

    const exit = once(demo.child, 'exit');
    // Signals only halyard, because the signal would also kill npx's shell, which would hide the exit code.
    process.kill(findHalyard(demo.child), 'SIGINT');
    expect(await exit, demo.output()).toEqual([0, null]);
  } finally {
    killGroup(demo.child);
  }

  expect(await listDemoDatabases()).toEqual(databasesBefore);
  expect(listDemoFolders(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('Ctrl+C in the terminal stops the demo with code 0, even while it writes its sample data', async () => {
  const folder = makeFolder();
  const databasesBefore = await listDemoDatabases();
  for (const moment of [/Ctrl\+C/, /new database/]) {
    const demo = await spawnDemo(
      folder,
      [getHalyardCommand(inject('installFolder'))],
      ['--postgres-port', POSTGRES_PORT],
    );
    await expect.poll(demo.output, { timeout: READY_TIMEOUT_MS }).toMatch(moment);
    const exit = once(demo.child, 'exit');
    killGroup(demo.child, 'SIGINT');

    expect(await exit, demo.output()).toEqual([0, null]);
  }
  expect(await listDemoDatabases()).toEqual(databasesBefore);
  rmSync(folder, { recursive: true });
});

test('a killed demo leaves behind neither a PostgreSQL server nor files', async () => {
  const folder = makeFolder();
  const demo = await spawnDemo(
    folder,
    [getHalyardCommand(inject('installFolder'))],
    ['--postgres-port', String(await findFreePort())],
  );
  await expect.poll(demo.output, { timeout: READY_TIMEOUT_MS }).toMatch(/Ctrl\+C/);
  const [data = ''] = listDemoFolders(folder);
  const pidFile = readFileSync(join(folder, 'tmp', data, 'data/postmaster.pid'), 'utf8');
  const postgres = Number(pidFile.split('\n', 1)[0]);
  expect(existsSync(`/proc/${postgres}`)).toBe(true);

  killGroup(demo.child);

  await expect.poll(() => listDemoFolders(folder)).toEqual([]);
  expect(existsSync(`/proc/${postgres}`)).toBe(false);
  rmSync(folder, { recursive: true });
});
