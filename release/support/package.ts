import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packs a folder as npm does before it publishes. Returns the path of the file. */
export async function packPackage(folder: string, to: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', to], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(to, filename);
}

/** Installs the packed file into an empty folder, with an empty npm cache. */
export async function installPackage(packed: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--cache', join(folder, '.cache'), '--no-audit', '--no-fund', packed], {
    cwd: folder,
  });
  return folder;
}

export type Ended = { code: number | null; output: string };

/** How this machine reaches the npm registry: its certificates and its proxy. */
const OF_THE_NETWORK = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** The environment without the variables of the test runner and the developer. */
export function plainEnv(env: Record<string, string> = {}): Record<string, string> {
  const network = OF_THE_NETWORK.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '/root',
    ...Object.fromEntries(network),
    ...env,
  };
}

/** Runs a program until it exits. */
export async function runToEnd(
  program: string,
  args: string[],
  env: Record<string, string> = {},
  cwd = '/',
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: plainEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** The command of an installed package. */
export const halyardIn = (installed: string): string => join(installed, 'node_modules/.bin/halyard');
