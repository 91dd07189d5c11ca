// Writes packages.json, the list of packages that are bundled in the API page's script. Scalar publishes the script as one file.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { readLibrary } from '../../../server/src/platform/http/description/docs.ts';
import { readContents } from '../contents.ts';
import { download, getPackageKey } from '../download.ts';
import { API_PAGE_COMMAND, PACKAGE_LIST } from './packages.ts';
import { readApiPageSource } from './source.ts';

const CONCURRENCY = 6;

readOptions({
  run: API_PAGE_COMMAND,
  does: "Writes the list of packages that are bundled in the API page's script, with their licenses. Run it after you update Scalar.",
});

const library = JSON.parse(
  readFileSync(
    new URL('../../../node_modules/@scalar/fastify-api-reference/package.json', import.meta.url),
    'utf8',
  ),
);
const folder = mkdtempSync(join(tmpdir(), 'halyard-api-page-'));
try {
  const { script, packages } = await readApiPageSource(
    library.devDependencies['@scalar/api-reference'],
    folder,
  );
  if (!script.equals(await readLibrary()))
    throw new Error("The API page's script differs from the one in @scalar/api-reference.");
  const remaining = [...packages];
  const downloadPackages = async () => {
    for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) await download(next, folder);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, downloadPackages));
  const folders = new Map(
    packages.map(name => [getPackageKey(name), join(folder, getPackageKey(name).replaceAll('/', '+'))]),
  );
  const contents = readContents([...folders.values()]).map(content => ({
    ...content,
    integrity: computeIntegrity(folders.get(getPackageKey(content)) ?? ''),
  }));
  const sha256 = createHash('sha256').update(script).digest('hex');
  writeFileSync(PACKAGE_LIST, `${JSON.stringify({ sha256, packages: contents }, null, 2)}\n`);
  console.log(`Wrote ${contents.length} packages.`);
} finally {
  rmSync(folder, { recursive: true });
}

function computeIntegrity(packageFolder: string): string {
  const [file = ''] = readdirSync(packageFolder).filter(name => name.endsWith('.tgz'));
  return `sha512-${createHash('sha512')
    .update(readFileSync(join(packageFolder, file)))
    .digest('base64')}`;
}
