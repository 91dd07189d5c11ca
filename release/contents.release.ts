import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, test } from 'vitest';
import { readApiPageSource } from '../scripts/package/api-page/source.ts';
import { API_PAGE_LIBRARY, buildPackage, ENTRIES } from '../scripts/package/build.ts';
import { bundle } from '../scripts/package/bundle.ts';
import { isAccepted } from '../scripts/package/licences.ts';
import { packPackage } from './support/package.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PACKAGE = join(inject('installed'), 'node_modules/halyard');
const LARGEST_BYTES = 6_000_000;

const folder = mkdtempSync(join(tmpdir(), 'halyard-contents-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(PACKAGE, path), 'utf8');
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('the package has no dependencies and at most 6 MB', () => {
  const manifest = JSON.parse(read('package.json'));
  const { size } = statSync(inject('packed'));
  console.log(`packed: ${(size / 1e6).toFixed(2)} MB`);

  expect(Object.keys(manifest).filter(key => /dependencies|scripts/i.test(key))).toEqual([]);
  expect(readdirSync(join(PACKAGE, '..')).filter(name => !name.startsWith('.'))).toEqual(['halyard']);
  expect(size).toBeLessThanOrEqual(LARGEST_BYTES);
});

test('two builds are identical byte for byte', async () => {
  const packed: string[] = [];
  for (const name of ['one', 'two']) {
    await buildPackage({ folder: join(folder, name) });
    mkdirSync(join(folder, `${name}-packed`));
    packed.push(await packPackage(join(folder, name), join(folder, `${name}-packed`)));
  }

  expect(packed.map(hashOf)).toEqual([hashOf(inject('packed')), hashOf(inject('packed'))]);
});

/** The packages whose code is in the bundle, according to the source maps of a separate build. */
async function packagesInMaps(): Promise<string[]> {
  const at = join(folder, 'maps');
  await bundle({ root: ROOT, folder: at, entries: ENTRIES, maps: 'all' });
  const maps = readdirSync(at).filter(name => name.endsWith('.map'));
  const sources = maps.flatMap(name => JSON.parse(readFileSync(join(at, name), 'utf8')).sources as string[]);
  return sources.flatMap(
    path => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
}

test('notices and SBOM name exactly the packages in server, console and API page', async () => {
  const inConsole: string[] = JSON.parse(
    readFileSync(join(ROOT, 'console/dist/.vite/packages.json'), 'utf8'),
  );
  const paths = [...(await packagesInMaps()), ...inConsole, API_PAGE_LIBRARY];
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
  const noticed = [...read('THIRD-PARTY-NOTICES.txt').matchAll(/^-{80}\n(\S+ \S+) \(.*\)\n-{80}$/gm)];

  expect(apiPage.script.equals(readFileSync(join(PACKAGE, 'server/api-page.js')))).toBe(true);
  expect(expected.size).toBeGreaterThan(250);
  expect(expected).toContain('pg 8.23.1');
  expect(expected).toContain('vue 3.5.40');
  expect(
    components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`).toSorted(),
  ).toEqual([...expected].toSorted());
  expect(noticed.map(([, text]) => text).toSorted()).toEqual([...expected].toSorted());
});

/** A file that imports a package. */
function plant(name: string, manifest: object, files: Record<string, string> = {}): string {
  const at = join(folder, name, 'node_modules', 'planted');
  mkdirSync(at, { recursive: true });
  const all = {
    'package.json': JSON.stringify({ name: 'planted', version: '1.0.0', main: 'index.js', ...manifest }),
    'index.js': 'exports.planted = true;',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) writeFileSync(join(at, path), text);
  const entry = join(folder, name, 'entry.js');
  writeFileSync(entry, "import { planted } from 'planted';\nconsole.log(planted);\n");
  return entry;
}

test.each([
  ['a GPL package', { license: 'GPL-3.0-only' }, 'planted 1.0.0: the license GPL-3.0-only is not accepted.'],
  ['a package without a license', {}, 'planted 1.0.0: the license none is not accepted.'],
  ['a package without a license file', { license: 'MIT' }, 'planted 1.0.0: no file with a license.'],
])('%s stops the build', async (name, manifest, problem) => {
  const planted = plant(name.replaceAll(' ', '-'), manifest);

  await expect(buildPackage({ folder: join(folder, 'planted'), moreEntries: { planted } })).rejects.toThrow(
    problem,
  );
});

test.each([
  ['MIT', 'x', true],
  ['(MIT OR GPL-3.0)', 'x', true],
  ['MIT AND GPL-3.0', 'x', false],
  ['OFL-1.1', 'x', false],
  ['OFL-1.1', '@fontsource-variable/inter', true],
  ['BlueOak-1.0.0', 'x', true],
  ['MPL-2.0', 'x', false],
])('the licence %s of %s is accepted: %s', (licence, name, accepted) => {
  expect(isAccepted(name, licence)).toBe(accepted);
});
