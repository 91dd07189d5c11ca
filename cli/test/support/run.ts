import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { createApi } from '../../../console/e2e/support/api.ts';

export { createPerson, createProject, unique } from '../../../console/e2e/support/api.ts';

const { url, adminToken, program } = inject('cli');

export const server = { url, adminToken };
export const api = createApi(server);

/** The configuration folder with the profiles of this test file. */
export const home = mkdtempSync(join(tmpdir(), 'halyard-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export type RunResult = { code: number | null; stdout: string; stderr: string };

export type RunOptions = {
  env?: Record<string, string | undefined>;
  input?: string;
  /** The input on the terminal. Each answer is typed after the prompt that contains the first string. */
  answers?: [prompt: string, answer: string][];
  /** What the test does while the command runs on the terminal. */
  duringRun?: (output: { stdout: string; stderr: string }) => Promise<void>;
};

const LOGGED_IN = { HALYARD_SERVER: url, HALYARD_TOKEN: adminToken };

const environment = (env: RunOptions['env']) => ({
  PATH: process.env.PATH,
  XDG_CONFIG_HOME: home,
  // The cache that bin/halyard.cjs uses. It is removed with the bundle.
  NODE_COMPILE_CACHE: join(dirname(program), 'compiled'),
  ...LOGGED_IN,
  ...env,
});

/** Starts the CLI without a terminal, logged in as an admin. */
export function start(args: string[], { env = {}, input }: RunOptions = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  return collectOutput(child);
}

function collectOutput(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', text => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', text => {
    output.stderr += text;
  });
  const completion: Promise<RunResult> = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...output,
  }));
  return { child, output, completion };
}

export const run = (args: string[], options: RunOptions = {}): Promise<RunResult> =>
  start(args, options).completion;

/** Runs a command and returns the JSON document on standard output. */
export async function json<T>(args: string[], options: RunOptions = {}): Promise<T> {
  const { code, stdout, stderr } = await run(args, options);
  if (code !== 0) throw new Error(`halyard ${args.join(' ')} exited with ${code}: ${stderr}`);
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

/** Runs a command that fails, and returns the error on standard error. */
export async function runExpectingFailure(
  args: string[],
  options: RunOptions = {},
): Promise<Failure & { exit: number | null }> {
  const { code, stdout, stderr } = await run(args, options);
  if (stdout !== '') throw new Error(`halyard ${args.join(' ')} printed ${stdout}`);
  return { exit: code, ...(JSON.parse(stderr) as { error: Failure }).error };
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs the CLI on a terminal of 100 columns. Both outputs arrive in stdout, as on a screen. */
export async function onTerminal(
  args: string[],
  { env = {}, answers = [], duringRun }: RunOptions = {},
): Promise<RunResult> {
  const line = `stty cols 100; ${[process.execPath, program, ...args].map(quote).join(' ')}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    env: { ...environment(env), TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { output, completion } = collectOutput(child);
  let answeredLength = 0;
  const pendingAnswers = [...answers];
  child.stdout.on('data', () => {
    const [nextAnswer] = pendingAnswers;
    const promptIndex = nextAnswer ? output.stdout.indexOf(nextAnswer[0], answeredLength) : -1;
    if (!nextAnswer || promptIndex < 0) return;
    answeredLength = output.stdout.length;
    pendingAnswers.shift();
    child.stdin.write(nextAnswer[1]);
  });
  await duringRun?.(output);
  const result = await completion;
  return { ...result, stdout: result.stdout.replaceAll('\r\n', '\n') };
}
