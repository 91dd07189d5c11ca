import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, test } from 'vitest';
import { readApiPageSource } from '../scripts/package/api-page/source.ts';
import { API_PAGE_LIBRARY, buildPackage, ENTRIES } from '../scripts/package/build.ts';
import { bundle } from '../scripts/package/bundle.ts';
import { isAccepted } from '../scripts/package/licenses.ts';
import { packPackage } from './support/package.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PACKAGE = join(inject('installFolder'), 'node_modules/halyard');
const MAX_BYTES = 6_000_000;

const folder = mkdtempSync(join(tmpdir(), 'halyard-contents-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(PACKAGE, path), 'utf8');
const hashFile = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('the package has no dependencies and is at most 6 MB', () => {
  const manifest = JSON.parse(read('package.json'));
  const { size } = statSync(inject('packageFile'));
  console.log(`packed: ${(size / 1e6).toFixed(2)} MB`);

  expect(Object.keys(manifest).filter(key => /dependencies|scripts/i.test(key))).toEqual([]);
  expect(readdirSync(join(PACKAGE, '..')).filter(name => !name.startsWith('.'))).toEqual(['halyard']);
  expect(size).toBeLessThanOrEqual(MAX_BYTES);
});

test('two builds are identical byte for byte', async () => {
  const packageFiles: string[] = [];
  for (const name of ['one', 'two']) {
    await buildPackage({ folder: join(folder, name) });
    mkdirSync(join(folder, `${name}-packed`));
    packageFiles.push(await packPackage(join(folder, name), join(folder, `${name}-packed`)));
  }

  expect(packageFiles.map(hashFile)).toEqual([
    hashFile(inject('packageFile')),
    hashFile(inject('packageFile')),
  ]);
});

/** Builds the bundle again with source maps for libraries, and reads from them which packages it contains. */
async function readPackagesInMaps(): Promise<string[]> {
  const mapFolder = join(folder, 'maps');
  await bundle({ root: ROOT, folder: mapFolder, entries: ENTRIES, maps: 'all' });
  const maps = readdirSync(mapFolder).filter(name => name.endsWith('.map'));
  const sources = maps.flatMap(
    name => JSON.parse(readFileSync(join(mapFolder, name), 'utf8')).sources as string[],
  );
  return sources.flatMap(
    path => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
}

test('the notices and the SBOM list exactly the packages in the server, the console and the API page', async () => {
  const consolePackages: string[] = JSON.parse(
    readFileSync(join(ROOT, 'console/dist/.vite/packages.json'), 'utf8'),
  );
  const paths = [...(await readPackagesInMaps()), ...consolePackages, API_PAGE_LIBRARY];
  const manifests = paths.map(path => JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')));
  const apiPage = await readApiPageSource(
    manifests.at(-1).devDependencies['@scalar/api-reference'],
    join(folder, 'api-page'),
  );
  const expected = new Set(
    [...manifests, ...apiPage.packages].map(({ name, version }) => `${name} ${version}`),
  );
  const components: { group?: string; name: string; version: string }[] = JSON.parse(
    read('sbom.cdx.json'),
  ).components;
  const noticeTitles = [...read('THIRD-PARTY-NOTICES.txt').matchAll(/^-{80}\n(\S+ \S+) \(.*\)\n-{80}$/gm)];

  expect(apiPage.script.equals(readFileSync(join(PACKAGE, 'server/api-page.js')))).toBe(true);
  expect(expected.size).toBeGreaterThan(250);
  expect(expected).toContain('pg 8.23.1');
  expect(expected).toContain('vue 3.5.40');
  expect(
    components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`).toSorted(),
  ).toEqual([...expected].toSorted());
  expect(noticeTitles.map(([, text]) => text).toSorted()).toEqual([...expected].toSorted());
});

/** Creates a package and a file that imports it, and returns the path of that file. */
function createPackage(name: string, manifest: object, files: Record<string, string> = {}): string {
  const packageFolder = join(folder, name, 'node_modules', 'planted');
  mkdirSync(packageFolder, { recursive: true });
  const allFiles = {
    'package.json': JSON.stringify({ name: 'planted', version: '1.0.0', main: 'index.js', ...manifest }),
    'index.js': 'exports.planted = true;',
    ...files,
  };
  for (const [path, text] of Object.entries(allFiles)) writeFileSync(join(packageFolder, path), text);
  const entry = join(folder, name, 'entry.js');
  writeFileSync(entry, "import { planted } from 'planted';\nconsole.log(planted);\n");
  return entry;
}

test.each([
  ['a GPL package', { license: 'GPL-3.0-only' }, 'planted 1.0.0: the license GPL-3.0-only is not accepted.'],
  ['a package without a license', {}, 'planted 1.0.0: the license none is not accepted.'],
  ['a package without a license file', { license: 'MIT' }, 'planted 1.0.0: no license file.'],
])('%s stops the build', async (name, manifest, problem) => {
  const planted = createPackage(name.replaceAll(' ', '-'), manifest);

  await expect(
    buildPackage({ folder: join(folder, 'planted'), additionalEntries: { planted } }),
  ).rejects.toThrow(problem);
});

test.each([
  ['MIT', 'x', true],
  ['(MIT OR GPL-3.0)', 'x', true],
  ['MIT AND GPL-3.0', 'x', false],
  ['OFL-1.1', 'x', false],
  ['OFL-1.1', '@fontsource-variable/inter', true],
  ['BlueOak-1.0.0', 'x', true],
  ['MPL-2.0', 'x', false],
])('the license %s of %s is accepted: %s', (license, name, expected) => {
  expect(isAccepted(name, license)).toBe(expected);
});
