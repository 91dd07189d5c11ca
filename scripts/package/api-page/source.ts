import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, keyOf, type PackageName } from '../download.ts';

/** The package from which Scalar's maintainers build the script of the API page. */
const BUILT_FROM = '@scalar/api-reference';
const BUNDLE = 'dist/browser/standalone.js';

type Manifest = PackageName & { dependencies?: Record<string, string> };

/** The script of the API page, as published with its map, and the packages whose code is in it. */
export type ApiPageSource = { script: Buffer; packages: PackageName[] };

/** Downloads the package that has the script together with its map, and reads the packages from the map. */
export async function readApiPageSource(version: string, folder: string): Promise<ApiPageSource> {
  const at = await download({ name: BUILT_FROM, version }, folder);
  const script = readFileSync(join(at, BUNDLE));
  const { sources } = JSON.parse(readFileSync(join(at, `${BUNDLE}.map`), 'utf8')) as { sources: string[] };
  const scalar = await versionsOfScalar(readManifest(at), folder);
  const found = new Map<string, PackageName>();
  for (const source of sources) {
    const one = packageOf(source, scalar);
    found.set(`${one.name}@${one.version}`, one);
  }
  // The styles are in the script as strings, which the map does not cover.
  const [, tailwind] = /\/\*! tailwindcss v(\S+) /.exec(script.toString('utf8')) ?? [];
  if (tailwind !== undefined) found.set('tailwindcss', { name: 'tailwindcss', version: tailwind });
  const packages = [...found.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { script, packages };
}

/** Paths as in Scalar's workspace: of a package in its store, of a neighbour, or of the package itself. */
function packageOf(source: string, scalar: Map<string, string>): PackageName {
  const [, folder = '', name = ''] = /\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (name !== '') {
    const [version = ''] = folder.slice(name.length + 1).split('_');
    return { name, version };
  }
  const [, neighbour] = /^\.\.\/\.\.\/\.\.\/([^/]+)\//.exec(source) ?? [];
  const own = neighbour === undefined ? BUILT_FROM : `@scalar/${neighbour}`;
  const version = scalar.get(own);
  if (version === undefined) throw new Error(`The package of ${source} in the API page is not known.`);
  return { name: own, version };
}

/** Scalar's packages depend on each other with exact versions. */
async function versionsOfScalar(manifest: Manifest, folder: string): Promise<Map<string, string>> {
  const versions = new Map([[manifest.name, manifest.version]]);
  const open = [manifest];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const [name, version] of Object.entries(one.dependencies ?? {})) {
      if (!name.startsWith('@scalar/') || versions.has(name)) continue;
      versions.set(name, version);
      open.push(readManifest(await download({ name, version }, folder)));
    }
  }
  return versions;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
