// Reports words that STYLE.md bans. Part of `npm run lint`. With paths it checks only those:
// scripts/with-node node scripts/vocabulary/main.ts server/src/people
import { globSync, readFileSync } from 'node:fs';
import { checkText } from './check.ts';
import { EXCEPTIONS } from './exceptions.ts';

const FILES = [
  '*.md',
  'docs/**/*.md',
  'bench/**/*.{md,ts}',
  'console/{e2e,scripts,src}/**/*.{ts,tsx,css}',
  'scripts/**/*',
  'server/{migrations,scripts,src}/**/*.{ts,sql,md}',
  'compose.yaml',
  '.env.example',
  '.ci/run',
];

/** The first two name banned words on purpose. The last has the licences of others. */
const OWN = [
  'server/src/test/vocabulary.test.ts',
  'scripts/vocabulary/exceptions.ts',
  'scripts/package/api-page/packages.json',
];

const chosen = process.argv.slice(2);
const isUnder = (path: string, folders: string[]): boolean =>
  folders.some(folder => path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`));

const paths = globSync(FILES, { withFileTypes: true })
  .filter(entry => entry.isFile() && !entry.name.endsWith('.gen.ts'))
  .map(entry => `${entry.parentPath}/${entry.name}`.replace(`${process.cwd()}/`, '').replace(/^\.\//, ''))
  .filter(path => !OWN.includes(path))
  .toSorted();
const checked = paths.filter(path => chosen.length === 0 || isUnder(path, chosen));
const findings = checked.flatMap(path => checkText(path, readFileSync(path, 'utf8'), EXCEPTIONS));

for (const { path, line, found, instead } of findings) {
  console.error(`${path}:${line}: "${found}". Use: ${instead}.`);
}
const files = `${checked.length} ${checked.length === 1 ? 'file' : 'files'}`;
console.log(`Vocabulary: ${files} checked`);
if (findings.length > 0) {
  console.error(`\nBanned words: ${findings.length}. See the glossary in STYLE.md.`);
  process.exitCode = 1;
}
