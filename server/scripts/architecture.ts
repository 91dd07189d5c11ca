// Derives two things from the imports of the server and the data plane: the list in ARCHITECTURE.md and the linter's import rules.
import { readFile, writeFile } from 'node:fs/promises';
import { readOptions } from '../src/platform/command-line.ts';
import { formatLintConfig, insertImportList, readSources } from '../src/test/imports.ts';

readOptions({
  run: 'npm run architecture',
  does: 'Writes the list of imports in ARCHITECTURE.md and biome.imports.json. It requires no database.',
});

const page = new URL('../../ARCHITECTURE.md', import.meta.url);
await writeFile(page, insertImportList(await readFile(page, 'utf8'), readSources()));
await writeFile(new URL('../../biome.imports.json', import.meta.url), formatLintConfig());
