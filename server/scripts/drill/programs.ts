import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { StartError } from '../../src/platform/start-error.ts';

type Program = 'pg_dump' | 'pg_restore';

/** A PostgreSQL program that reported an error. Its message is meant for the operator. */
export class ProgramError extends Error {}

const MAX_KEPT_CHARACTERS = 4_000;
const MAX_SHOWN_LINES = 5;

/** Throws unless at least this major version of the program is installed. */
export async function checkProgram(name: Program, minVersion: number): Promise<void> {
  const { stdout } = await promisify(execFile)(name, ['--version']).catch(error => {
    if (error.code !== 'ENOENT') throw new StartError(`${name} does not run: ${error.message}`);
    throw new StartError(
      `${name} is not installed. Install PostgreSQL's client programs. On Debian: apt-get install postgresql-client.`,
    );
  });
  const [, majorVersion = String(minVersion)] = /\) (\d+)/.exec(stdout) ?? [];
  if (Number(majorVersion) < minVersion)
    throw new StartError(
      `${name} has version ${majorVersion}, but PostgreSQL has version ${minVersion}. Install client programs of version ${minVersion} or newer.`,
    );
}

/** Runs pg_dump or pg_restore on the database at a URL. The password does not appear in the process list. */
export async function runProgram(
  name: Program,
  databaseUrl: string,
  args: string[],
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const child = spawn(name, [`--dbname=${url.href}`, '--no-password', ...args], {
    env: { ...process.env, ...(password === '' ? {} : { PGPASSWORD: password }) },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  let output = '';
  child.stderr.on('data', chunk => (output = (output + chunk).slice(0, MAX_KEPT_CHARACTERS)));
  const [code] = await once(child, 'close').catch(error => {
    throw signal.aborted ? signal.reason : error;
  });
  // Ctrl+C also stops the program, which then reports an error.
  signal.throwIfAborted();
  if (code !== 0) throw new ProgramError(firstLines(output) || `${name} exited with code ${code}.`);
}

const firstLines = (output: string): string =>
  output.trim().split('\n').slice(0, MAX_SHOWN_LINES).join('\n  ');
