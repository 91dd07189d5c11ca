import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type PackageName = { name: string; version: string };

export const getPackageKey = ({ name, version }: PackageName): string => `${name}@${version}`;

/** Downloads a package through npm, unpacks it into a subfolder, and returns the path of the subfolder. */
export async function download(packageName: PackageName, folder: string): Promise<string> {
  const packageFolder = join(folder, getPackageKey(packageName).replaceAll('/', '+'));
  mkdirSync(packageFolder, { recursive: true });
  await run('npm', ['pack', getPackageKey(packageName), '--ignore-scripts', '--silent'], {
    cwd: packageFolder,
  });
  const [file = ''] = readdirSync(packageFolder).filter(name => name.endsWith('.tgz'));
  await run('tar', ['-xzf', file, '--strip-components=1', '--no-same-owner'], { cwd: packageFolder });
  return packageFolder;
}
