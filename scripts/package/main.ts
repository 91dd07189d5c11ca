// Builds the npm package `halyard`, which contains the bundled server and the console, and has no dependencies.
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { buildPackage } from './build.ts';

readOptions({
  run: 'npm run build:package',
  does: 'Builds the npm package halyard in dist/package, from the sources and from the console that npm run build:console built.',
});

const folder = fileURLToPath(new URL('../../dist/package/', import.meta.url));
const contents = await buildPackage({ folder });
console.log(
  `Built dist/package with ${contents.length} third-party packages, listed in THIRD-PARTY-NOTICES.txt.`,
);
