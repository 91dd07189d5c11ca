import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Content } from '../contents.ts';

/** Writes the list. */
export const API_PAGE_COMMAND = 'scripts/with-node node scripts/package/api-page/main.ts';
export const LIST = new URL('packages.json', import.meta.url);

/** The packages inside the script of the API page. Throws if the list belongs to a different script. */
export function packagesOfApiPage(script: Buffer): Content[] {
  const { sha256, packages } = JSON.parse(readFileSync(LIST, 'utf8')) as {
    sha256: string;
    packages: Content[];
  };
  const found = createHash('sha256').update(script).digest('hex');
  if (found !== sha256)
    throw new Error(`The packages of the API page are not known. Run ${API_PAGE_COMMAND}.`);
  return packages;
}
