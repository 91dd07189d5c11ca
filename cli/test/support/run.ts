import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { apiOf } from '../../../console/e2e/support/api.ts';

export { createPerson, createProject, unique } from '../../../console/e2e/support/api.ts';

const { url, adminToken, program } = inject('cli');

export const server = { url, adminToken };
export const api = apiOf(server);

/** Profiles of this test file. */
export const home = mkdtempSync(join(tmpdir(), 'halyard-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export type Ran = { code: number | null; stdout: string; stderr: string };

export type Around = {
  env?: Record<string, string | undefined>;
  input?: string;
  /** What is typed on the terminal: each answer after the prompt that contains the first string. */
  answers?: [prompt: string, answer: string][];
  /** What happens elsewhere while the command runs on the terminal. */
  meanwhile?: (printed: { stdout: string; stderr: string }) => Promise<void>;
};

const LOGGED_IN = { HALYARD_SERVER: url, HALYARD_TOKEN: adminToken };

const environment = (env: Around['env']) => ({
  PATH: process.env.PATH,
  XDG_CONFIG_HOME: home,
  // As bin/halyard.cjs does. Removed with the bundle.
  NODE_COMPILE_CACHE: join(dirname(program), 'compiled'),
  ...LOGGED_IN,
  ...env,
});

/** Starts the command line without a terminal, logged in as an admin. */
export function start(words: string[], { env = {}, input }: Around = {}) {
  const child = spawn(process.execPath, [program, ...words], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  return collect(child);
}

function collect(child: ChildProcess) {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', text => {
    printed.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', text => {
    printed.stderr += text;
  });
  const ended: Promise<Ran> = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...printed,
  }));
  return { child, printed, ended };
}

export const run = (words: string[], around: Around = {}): Promise<Ran> => start(words, around).ended;

/** The document on standard output. */
export async function json<T>(words: string[], around: Around = {}): Promise<T> {
  const { code, stdout, stderr } = await run(words, around);
  if (code !== 0) throw new Error(`halyard ${words.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

type Failure = {
  code: string;
  message: string;
  retryable: boolean;
  id: string | null;
  hint?: string;
  details?: unknown[];
};

/** The error on standard error. */
export async function fails(
  words: string[],
  around: Around = {},
): Promise<Failure & { exit: number | null }> {
  const { code, stdout, stderr } = await run(words, around);
  if (stdout !== '') throw new Error(`halyard ${words.join(' ')} printed ${stdout}`);
  return { exit: code, ...(JSON.parse(stderr) as { error: Failure }).error };
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs the command line on a terminal of 100 columns. Both outputs arrive in stdout, as on a screen. */
export async function onTerminal(
  words: string[],
  { env = {}, answers = [], meanwhile }: Around = {},
): Promise<Ran> {
  const line = `stty cols 100; ${[process.execPath, program, ...words].map(quote).join(' ')}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    env: { ...environment(env), TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { printed, ended } = collect(child);
  let seen = 0;
  const waiting = [...answers];
  child.stdout.on('data', () => {
    const [next] = waiting;
    const at = next ? printed.stdout.indexOf(next[0], seen) : -1;
    if (!next || at < 0) return;
    seen = printed.stdout.length;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  await meanwhile?.(printed);
  const result = await ended;
  return { ...result, stdout: result.stdout.replaceAll('\r\n', '\n') };
}
