import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_LIST } from '../../console/scripts/packages.ts';
import { readLibrary } from '../../server/src/platform/http/description/docs.ts';
import { packagesOfApiPage } from './api-page/packages.ts';
import { bundle } from './bundle.ts';
import { type Content, foldersOf, readContents } from './contents.ts';
import { noticesOf, sbomOf } from './documents.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The release has a file of this package instead of modules, see LEFT_OUT in bundle.ts. */
export const API_PAGE_LIBRARY = 'node_modules/@scalar/fastify-api-reference';

export const ENTRIES = {
  halyard: 'server/scripts/halyard.ts',
  'index-process': 'server/src/record/event-index/index-process.ts',
};

export type BuildOptions = {
  /** The package folder, which is replaced. */
  folder: string;
  /** Additional entry files, by the name of their chunk. */
  moreEntries?: Record<string, string>;
};

/** Writes the package: server and console with everything they require. Returns the third-party packages it contains. */
export async function buildPackage({ folder, moreEntries = {} }: BuildOptions): Promise<Content[]> {
  const consoleFolder = join(ROOT, 'console/dist');
  if (!existsSync(join(consoleFolder, PACKAGE_LIST)))
    throw new Error('The console is not built. Run npm run build:console first.');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  const modules = await bundle({
    root: ROOT,
    folder: join(folder, 'server/dist'),
    entries: { ...ENTRIES, ...moreEntries },
  });
  const inConsole: string[] = JSON.parse(readFileSync(join(consoleFolder, PACKAGE_LIST), 'utf8'));
  const apiPage = await readLibrary();
  const contents = readContents(
    [...foldersOf(modules), ...[...inConsole, API_PAGE_LIBRARY].map(path => join(ROOT, path))],
    packagesOfApiPage(apiPage),
  );

  writeFiles(folder, consoleFolder);
  writeFileSync(join(folder, 'server/api-page.js'), apiPage);
  const manifest = publishedManifest();
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(contents));
  writeFileSync(join(folder, 'sbom.cdx.json'), sbomOf(manifest, contents, integrityOf()));
  return contents;
}

/** At the repository's paths, where the server's platform/files.ts finds them. */
function writeFiles(folder: string, consoleFolder: string): void {
  cpSync(consoleFolder, join(folder, 'console/dist'), {
    recursive: true,
    filter: path => !relative(consoleFolder, path).startsWith('.'),
  });
  // A release contains the manual. A build for a test can do without it.
  const help = join(ROOT, 'site/dist/help');
  if (existsSync(help)) cpSync(help, join(folder, 'site/dist/help'), { recursive: true });
  for (const path of ['server/migrations', 'server/demo-story.jsonl', 'openapi.json', 'LICENSE'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  cpSync(join(ROOT, 'server/bin'), join(folder, 'bin'), { recursive: true });
  chmodSync(join(folder, 'bin/halyard.cjs'), 0o755);
  cpSync(join(ROOT, 'scripts/package/README.md'), join(folder, 'README.md'));
}

function publishedManifest() {
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
    bin: { halyard: 'bin/halyard.cjs' },
  };
}

/** The hash of each package: from the lockfile, or recorded with the package. */
function integrityOf(): (content: Content) => string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const known = new Map(
    Object.entries(packages).map(([path, { version, integrity }]) => [
      `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      integrity,
    ]),
  );
  return content => {
    const { name, version } = content;
    const integrity = content.integrity ?? known.get(`${name}@${version}`);
    if (integrity === undefined) throw new Error(`package-lock.json has no hash of ${name} ${version}.`);
    return integrity;
  };
}
