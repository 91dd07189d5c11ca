import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { openApiText } from './http/openapi.ts';
import { urlOf } from './test/database.ts';
import { useHarness } from './test/harness.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const harness = useHarness();

test('openapi.json is what the server generates', () => {
  expect(readFileSync(join(ROOT, 'openapi.json'), 'utf8')).toBe(openApiText(harness.app));
});

test('tables.gen.ts is what the migrations make', () => {
  const result = spawnSync(process.execPath, ['server/scripts/table-types.ts', '--verify'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: urlOf(inject('template')) },
    encoding: 'utf8',
  });

  expect(result.stdout + result.stderr).not.toMatch(/out of date|not up-to-date|differ/i);
  expect(result.status).toBe(0);
});

const PLANTED = [
  ['routes.ts imports the store of another module', 'server/src/projects/routes.ts', '../events/store.ts'],
  ['an operation imports the store of another module', 'server/src/projects/create.ts', '../events/store.ts'],
  ['a job imports a store', 'server/src/worker/jobs.ts', '../events/store.ts'],
  ['a store imports HTTP', 'server/src/projects/store.ts', '../http/errors.ts'],
  ['a store imports Fastify', 'server/src/projects/store.ts', 'fastify'],
  ['http/ imports a domain module', 'server/src/http/errors.ts', '../events/schema.ts'],
  ['db/ imports a domain module', 'server/src/db/database.ts', '../events/schema.ts'],
  ['errors.ts imports something of ours', 'server/src/errors.ts', './change.ts'],
] as const;

const ALLOWED = [
  ['routes.ts imports its own store', 'server/src/projects/routes.ts', './store.ts'],
  ['a store imports a fragment of another store', 'server/src/projects/store.ts', '../access/store.ts'],
  ['http/ imports db/', 'server/src/http/errors.ts', '../db/failures.ts'],
] as const;

/** What the linter says about one file, in a tree of its own with our configuration. */
function lint(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-lint-'));
  try {
    cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const result = spawnSync(biome, ['lint', '--colors=off', '.'], { cwd: folder, encoding: 'utf8' });
    return result.stdout + result.stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(PLANTED)('the linter catches it when %s', (_case, path, source) => {
  expect(lint({ [path]: `import { x } from '${source}';\nexport const y = x;\n` })).toContain(
    'noRestrictedImports',
  );
});

test.each(ALLOWED)('the linter allows it that %s', (_case, path, source) => {
  expect(lint({ [path]: `import { x } from '${source}';\nexport const y = x;\n` })).not.toContain(
    'noRestrictedImports',
  );
});

test('the linter catches a circle of imports', () => {
  const found = lint({
    'server/src/one.ts': "import { two } from './two.ts';\nexport const one = () => two();\n",
    'server/src/two.ts': "import { one } from './one.ts';\nexport const two = () => one();\n",
  });
  expect(found).toContain('noImportCycles');
});

test('the linter catches a promise that nobody waits for', () => {
  expect(lint({ 'server/src/x.ts': 'export async function f() {}\nf();\n' })).toContain('noFloatingPromises');
});

test('no dependency has an install script, and the lockfile names no registry', () => {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('hasInstallScript');
  expect(lock).not.toMatch(/"resolved": "http/);
});
