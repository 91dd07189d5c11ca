// Builds the npm package `@halyard/cli`, which contains only the CLI: a few JavaScript files without dependencies.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { bundle } from './bundle.ts';
import { listPackageFolders, readContents } from './contents.ts';
import { formatNotices } from './documents.ts';
import { buildRepositoryLinks } from './repository.ts';

readOptions({
  run: 'npm run build:cli',
  does: 'Builds the npm package @halyard/cli in dist/cli, from the sources.',
});

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/cli');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const modules = await bundle({
  root,
  folder: join(folder, 'dist'),
  entries: { halyard: 'cli/src/run.ts' },
  maps: 'none',
});
for (const path of ['bin', 'README.md'])
  cpSync(join(root, 'cli', path), join(folder, path), { recursive: true });
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
chmodSync(join(folder, 'bin/halyard.cjs'), 0o755);
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { name, version, description, license, type } = JSON.parse(
  readFileSync(join(root, 'cli/package.json'), 'utf8'),
);
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines,
  ...buildRepositoryLinks(process.env),
  bin: { halyard: 'bin/halyard.cjs' },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(
  join(folder, 'THIRD-PARTY-NOTICES.txt'),
  formatNotices(readContents(listPackageFolders(modules))),
);
console.log('Built dist/cli.');
