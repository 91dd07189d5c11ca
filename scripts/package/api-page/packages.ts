import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BundledPackage } from '../contents.ts';

/** The command that writes the list. */
export const API_PAGE_COMMAND = 'scripts/with-node node scripts/package/api-page/main.ts';
export const PACKAGE_LIST = new URL('packages.json', import.meta.url);

/** Reads the list of packages inside the API page's script. Throws if the list belongs to a different script. */
export function readApiPagePackages(script: Buffer): BundledPackage[] {
  const { sha256, packages } = JSON.parse(readFileSync(PACKAGE_LIST, 'utf8')) as {
    sha256: string;
    packages: BundledPackage[];
  };
  const actualSha256 = createHash('sha256').update(script).digest('hex');
  if (actualSha256 !== sha256)
    throw new Error(`The package list does not match the API page's script. Run ${API_PAGE_COMMAND}.`);
  return packages;
}
