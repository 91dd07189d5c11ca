import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, getPackageKey, type PackageName } from '../download.ts';

/** The package that Scalar's maintainers build the API page's script from. */
const SOURCE_PACKAGE = '@scalar/api-reference';
const BUNDLE = 'dist/browser/standalone.js';

type Manifest = PackageName & { dependencies?: Record<string, string> };

/** The API page's script as published with its source map, and the packages whose code it contains. */
export type ApiPageSource = { script: Buffer; packages: PackageName[] };

/** Downloads the package that contains the script and its source map, and reads the packages from the map. */
export async function readApiPageSource(version: string, folder: string): Promise<ApiPageSource> {
  const sourceFolder = await download({ name: SOURCE_PACKAGE, version }, folder);
  const script = readFileSync(join(sourceFolder, BUNDLE));
  const { sources } = JSON.parse(readFileSync(join(sourceFolder, `${BUNDLE}.map`), 'utf8')) as {
    sources: string[];
  };
  const scalarVersions = await readScalarVersions(readManifest(sourceFolder), folder);
  const packagesByKey = new Map<string, PackageName>();
  for (const source of sources) {
    const name = parsePackageName(source, scalarVersions);
    packagesByKey.set(getPackageKey(name), name);
  }
  // The script contains its styles as strings, which the source map does not cover.
  const [, tailwind] = /\/\*! tailwindcss v(\S+) /.exec(script.toString('utf8')) ?? [];
  if (tailwind !== undefined) packagesByKey.set('tailwindcss', { name: 'tailwindcss', version: tailwind });
  const packages = [...packagesByKey.values()].toSorted((a, b) =>
    getPackageKey(a) < getPackageKey(b) ? -1 : 1,
  );
  return { script, packages };
}

/** Returns the package of a source, whose path leads into pnpm's store, a neighboring package or the package itself. */
function parsePackageName(source: string, scalarVersions: Map<string, string>): PackageName {
  const [, folder = '', packageName = ''] =
    /\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (packageName !== '') {
    const [version = ''] = folder.slice(packageName.length + 1).split('_');
    return { name: packageName, version };
  }
  const [, neighbor] = /^\.\.\/\.\.\/\.\.\/([^/]+)\//.exec(source) ?? [];
  const name = neighbor === undefined ? SOURCE_PACKAGE : `@scalar/${neighbor}`;
  const version = scalarVersions.get(name);
  if (version === undefined) throw new Error(`The package of ${source} in the API page is unknown.`);
  return { name, version };
}

/** Reads the exact versions of the Scalar packages that the package depends on, directly or indirectly. */
async function readScalarVersions(manifest: Manifest, folder: string): Promise<Map<string, string>> {
  const versions = new Map([[manifest.name, manifest.version]]);
  const pending = [manifest];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name, version] of Object.entries(next.dependencies ?? {})) {
      if (!name.startsWith('@scalar/') || versions.has(name)) continue;
      versions.set(name, version);
      pending.push(readManifest(await download({ name, version }, folder)));
    }
  }
  return versions;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
