import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_LIST } from '../../console/scripts/packages.ts';
import { readLibrary } from '../../server/src/platform/http/description/docs.ts';
import { readApiPagePackages } from './api-page/packages.ts';
import { bundle } from './bundle.ts';
import { type BundledPackage, listPackageFolders, readContents } from './contents.ts';
import { formatNotices, formatSbom } from './documents.ts';
import { buildRepositoryLinks } from './repository.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The release contains one file of this package rather than its modules. See EXTERNAL_PACKAGES in bundle.ts. */
export const API_PAGE_LIBRARY = 'node_modules/@scalar/fastify-api-reference';

export const ENTRIES = {
  halyard: 'scripts/package/halyard.ts',
  'index-process': 'server/src/record/event-index/index-process.ts',
};

export type BuildOptions = {
  /** The package folder, which is replaced. */
  folder: string;
  /** Additional entry files, by the name of their chunk. */
  additionalEntries?: Record<string, string>;
};

/** Writes the package with the server, the console and their dependencies. Returns the third-party packages in it. */
export async function buildPackage({
  folder,
  additionalEntries = {},
}: BuildOptions): Promise<BundledPackage[]> {
  const consoleFolder = join(ROOT, 'console/dist');
  if (!existsSync(join(consoleFolder, PACKAGE_LIST)))
    throw new Error('The console is not built. Run npm run build:console first.');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  const modules = await bundle({
    root: ROOT,
    folder: join(folder, 'server/dist'),
    entries: { ...ENTRIES, ...additionalEntries },
  });
  const consolePackages: string[] = JSON.parse(readFileSync(join(consoleFolder, PACKAGE_LIST), 'utf8'));
  const apiPage = await readLibrary();
  const contents = readContents(
    [...listPackageFolders(modules), ...[...consolePackages, API_PAGE_LIBRARY].map(path => join(ROOT, path))],
    readApiPagePackages(apiPage),
  );

  writeFiles(folder, consoleFolder);
  writeFileSync(join(folder, 'server/api-page.js'), apiPage);
  const manifest = makeManifest();
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), formatNotices(contents));
  writeFileSync(join(folder, 'sbom.cdx.json'), formatSbom(manifest, contents, readIntegrities()));
  return contents;
}

/** Copies the files to the same paths as in the repository, because the server's platform/files.ts looks for them there. */
function writeFiles(folder: string, consoleFolder: string): void {
  cpSync(consoleFolder, join(folder, 'console/dist'), {
    recursive: true,
    filter: path => !relative(consoleFolder, path).startsWith('.'),
  });
  // Releases contain the manual, but a build for a test may lack it.
  const manual = join(ROOT, 'site/dist/help');
  if (existsSync(manual)) cpSync(manual, join(folder, 'site/dist/help'), { recursive: true });
  for (const path of ['server/migrations', 'server/demo-story.jsonl', 'openapi.json', 'LICENSE'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  cpSync(join(ROOT, 'server/bin'), join(folder, 'bin'), { recursive: true });
  chmodSync(join(folder, 'bin/halyard.cjs'), 0o755);
  cpSync(join(ROOT, 'scripts/package/README.md'), join(folder, 'README.md'));
}

function makeManifest() {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  return {
    name,
    version,
    description,
    keywords: ['feature-flags', 'feature-toggles', 'audit-log', 'unleash', 'self-hosted'],
    license,
    type,
    engines,
    ...buildRepositoryLinks(process.env),
    bin: { halyard: 'bin/halyard.cjs' },
  };
}

/** Returns a function that looks up a package's hash, either in its content or in the lockfile. */
function readIntegrities(): (content: BundledPackage) => string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const lockfileHashes = new Map(
    Object.entries(packages).map(([path, { version, integrity }]) => [
      `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      integrity,
    ]),
  );
  return content => {
    const { name, version } = content;
    const integrity = content.integrity ?? lockfileHashes.get(`${name}@${version}`);
    if (integrity === undefined) throw new Error(`package-lock.json has no hash for ${name} ${version}.`);
    return integrity;
  };
}
