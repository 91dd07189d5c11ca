import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd, isEnding } from './cleanup.ts';
import { findFreePort } from './free-port.ts';
import { guard } from './guard.ts';
import { inspect, type PostgresServer } from './postgres-server.ts';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** The demo's data is temporary, so PostgreSQL does not need to wait for the disk. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=60',
];

export type OwnPostgres = PostgresServer & { pid: number; folder: string };

type KeepOptions = {
  /** Whether the data may outlive this process. */
  keep: boolean;
  /** Returns whether the data really outlives this process, which is known only when the demo ends. */
  isKept: () => boolean;
};

/**
 * Starts PostgreSQL on a free port, with its data in a temporary folder. Unless the data is kept, PostgreSQL stops with the demo,
 * even if the demo ends while PostgreSQL is still starting.
 */
export async function startOwnPostgres(
  programs: string,
  { keep, isKept }: KeepOptions,
): Promise<OwnPostgres> {
  const user = findUnprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'halyard-demo-'));
  if (!keep) guard(folder);
  const [data, passwordFile, log] = ['data', 'password', 'log'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const password = randomBytes(18).toString('base64url');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const initialization = promisify(execFile)(
    join(programs, 'initdb'),
    [
      ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-sync'],
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ],
    { cwd: folder, ...user },
  );
  let child: ChildProcess | undefined;
  const stop = async () => {
    // initdb writes to the folder, so the folder can be removed only after initdb has ended.
    await initialization.catch(() => {});
    if (child !== undefined) await stopProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  atEnd(async () => {
    if (!isKept()) await stop();
  });
  try {
    await initialization;
    const port = await findFreePort();
    if (isEnding()) throw new Error('The demo ended before PostgreSQL started.');
    const output = openSync(log, 'a');
    // In a separate process group, because otherwise Ctrl+C would stop PostgreSQL before the Halyard server stops.
    child = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), ...SETTINGS.flatMap(setting => ['-c', setting])],
      { cwd: folder, detached: true, stdio: ['ignore', output, output], ...user },
    );
    child.unref();
    const exit = once(child, 'exit').then(([code]) => {
      throw new Error(`PostgreSQL exited with code ${code}: ${readFileSync(log, 'utf8').slice(-1_000)}`);
    });
    exit.catch(() => {});
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const server = await Promise.race([waitUntilReady(url), exit]);
    return { ...server, pid: child.pid ?? 0, folder };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(timer);
}

async function waitUntilReady(url: string): Promise<PostgresServer> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await inspect(url);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise(resolve => setTimeout(resolve, 30));
    }
  }
}

/** PostgreSQL refuses to run as root, so if root starts the demo, PostgreSQL runs as the user postgres or nobody. */
function findUnprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([userName]) => userName === name) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "nobody". Run the demo as a different user.',
  );
}
