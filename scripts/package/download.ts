import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type PackageName = { name: string; version: string };

export const keyOf = ({ name, version }: PackageName): string => `${name}@${version}`;

/** Downloads a package through npm and unpacks it below the folder. Returns where it is. */
export async function download(one: PackageName, folder: string): Promise<string> {
  const at = join(folder, keyOf(one).replaceAll('/', '+'));
  mkdirSync(at, { recursive: true });
  await run('npm', ['pack', keyOf(one), '--ignore-scripts', '--silent'], { cwd: at });
  const [file = ''] = readdirSync(at).filter(name => name.endsWith('.tgz'));
  await run('tar', ['-xzf', file, '--strip-components=1', '--no-same-owner'], { cwd: at });
  return at;
}
