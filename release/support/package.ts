import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packs a folder as npm does before it publishes, and returns the path of the file. */
export async function packPackage(folder: string, targetFolder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', targetFolder], {
    cwd: folder,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(targetFolder, filename);
}

/** Installs the package file into an empty folder, with an empty npm cache. */
export async function installPackage(packageFile: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--cache', join(folder, '.cache'), '--no-audit', '--no-fund', packageFile], {
    cwd: folder,
  });
  return folder;
}

export type ProcessResult = { code: number | null; output: string };

/** Variables with the certificates and proxies that this machine needs to reach the npm registry. */
const NETWORK_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** Returns an environment without the test runner's and the developer's variables. */
export function plainEnv(env: Record<string, string> = {}): Record<string, string> {
  const networkVariables = NETWORK_VARIABLES.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '/root',
    ...Object.fromEntries(networkVariables),
    ...env,
  };
}

/** Runs a program until it exits, and returns its exit code and output. */
export async function runToEnd(
  program: string,
  args: string[],
  env: Record<string, string> = {},
  cwd = '/',
): Promise<ProcessResult> {
  const child = spawn(program, args, { cwd, env: plainEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Returns the path of the `halyard` command that is installed in the folder. */
export const getHalyardCommand = (folder: string): string => join(folder, 'node_modules/.bin/halyard');
