import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import type { Columns } from '../platform/db/database.ts';
import { openApiText } from '../platform/http/description/openapi.ts';
import { MANY_REQUESTS } from './campaign.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { getDatabaseUrl } from './database.ts';
import { useHarness } from './harness.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const harness = useHarness();

test('openapi.json is what the server generates', () => {
  expect(readFileSync(join(ROOT, 'openapi.json'), 'utf8')).toBe(openApiText(harness.app));
});

test('tables.gen.ts matches the migrated database', MANY_REQUESTS, () => {
  const result = spawnSync(process.execPath, ['server/scripts/table-types.ts', '--verify'], {
    cwd: ROOT,
    env: { ...process.env, ...COMPILE_CACHE, DATABASE_URL: getDatabaseUrl(inject('template')) },
    encoding: 'utf8',
  });

  expect(result.stdout + result.stderr).not.toMatch(/out of date|not up-to-date|differ/i);
  expect(result.status).toBe(0);
});

const PLANTED = [
  ['platform/ imports a layer', 'platform/http/output/errors.ts', '../../../record/events/schema.ts'],
  ['record/ imports people/', 'record/change.ts', '../people/users/schema.ts'],
  ['a nested folder imports a higher layer', 'flags/health/rules/rules.ts', '../../../delivery/x/schema.ts'],
  ['a store imports a higher layer', 'people/users/store.ts', '../../flags/tags/store.ts'],
  ['a layer imports app.ts', 'delivery/deliveries/routes.ts', '../../app.ts'],
  [
    'a route imports a store in a different layer',
    'flags/projects/routes.ts',
    '../../record/events/store.ts',
  ],
  ['an operation imports a store of access/', 'flags/projects/create.ts', '../../access/store.ts'],
  ['a job imports a store', 'worker/worker.ts', '../record/events/store.ts'],
  ['a store imports HTTP', 'flags/projects/store.ts', '../../platform/http/output/errors.ts'],
  ['a store imports Fastify', 'flags/projects/store.ts', 'fastify'],
  ['config.ts imports a file of ours', 'platform/config.ts', './http/params.ts'],
  ['errors.ts imports a file of ours', '../../plane/src/platform/errors.ts', './text.ts'],
  ['the plane imports the server', '../../plane/src/serving/app.ts', '../../../server/src/platform/actor.ts'],
  ['the plane imports a database', '../../plane/src/counting/usage.ts', 'kysely'],
  ['a layer of the plane imports a higher one', '../../plane/src/platform/text.ts', '../serving/source.ts'],
] as const;

const ALLOWED = [
  ['a route imports its own store', 'flags/projects/routes.ts', './store.ts'],
  ['a module imports a store of its layer', 'flags/projects/create.ts', '../tags/store.ts'],
  ['a store imports a store in a different layer', 'flags/projects/store.ts', '../../access/store.ts'],
  ['platform/http/ imports platform/db/', 'platform/http/output/errors.ts', '../../db/failures.ts'],
  ['a layer imports the plane', 'platform/http/x.ts', '@halyard/plane/serving/app.ts'],
  ['a test imports everything', 'platform/http/output/errors.test.ts', '../../../flags/tags/store.ts'],
] as const;

/** Returns a value import, a type import and a dynamic import of the same file. */
const buildImports = (source: string, n: number): string[] => [
  `import { x${n} } from '${source}';`,
  `import type { X${n} } from '${source}';`,
  `export const loaded${n} = await import('${source}');`,
];

/** Returns all planted imports, each in a file at its path and on its own lines, so that the linter has to run only once. */
function buildPlantedFiles(): Record<string, string> {
  const files: Record<string, string> = {
    'server/src/one.ts': "import { two } from './two.ts';\nexport const one = () => two();\n",
    'server/src/two.ts': "import { one } from './one.ts';\nexport const two = () => one();\n",
    'server/src/floating.ts': 'export async function f() {}\nf();\n',
  };
  for (const [n, [, path, source]] of [...PLANTED, ...ALLOWED].entries()) {
    const file = join('server/src', path);
    files[file] = `${files[file] ?? ''}${buildImports(source, n).join('\n')}\n`;
  }
  return files;
}

const plantedImports = buildPlantedFiles();
let output = '';
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-lint-'));
  try {
    for (const file of ['biome.json', 'biome.imports.json']) cpSync(join(ROOT, file), join(folder, file));
    for (const [path, text] of Object.entries(plantedImports)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const args = ['lint', '--colors=off', '--max-diagnostics=none', '.'];
    const result = spawnSync(biome, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
    output = result.stdout + result.stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the rules that the linter reports for one line of a file. */
const listReportedRules = (file: string, line: number): string[] =>
  [...output.matchAll(/^(\S+):(\d+):\d+ lint\/\w+\/(\w+)/gm)].flatMap(([, path, reportedLine, rule = '']) =>
    path === file && Number(reportedLine) === line ? [rule] : [],
  );

/** Returns how many of the three imports of `source` the linter reports. */
function countReported(path: string, source: string): number {
  const file = join('server/src', path);
  const lines = (plantedImports[file] ?? '').split('\n');
  return lines.filter(
    (text, index) =>
      text.includes(`'${source}'`) && listReportedRules(file, index + 1).includes('noRestrictedImports'),
  ).length;
}

test.each(PLANTED)('the linter reports an error if %s', (_case, path, source) => {
  expect(countReported(path, source)).toBe(3);
});

test.each(ALLOWED)('the linter reports no error if %s', (_case, path, source) => {
  expect(countReported(path, source)).toBe(0);
});

test('the linter reports a cycle of imports', () => {
  expect(listReportedRules('server/src/one.ts', 1)).toContain('noImportCycles');
});

test('the linter reports a promise without await', () => {
  expect(listReportedRules('server/src/floating.ts', 2)).toContain('noFloatingPromises');
});

/** Finds writes whose columns the compiler does not check, because it accepts unknown columns from a spread or a variable. */
function findUncheckedWrites(text: string): string[] {
  return [...text.matchAll(/\.(?:insertInto|updateTable)\('(\w+)'\)\s*\.(?:values|set)\(/g)].flatMap(
    ({ 0: start, 1: table, index }) => {
      const argument = text.slice(index + start.length, text.indexOf('.execute', index)).trimStart();
      const isChecked = (name: string | undefined) =>
        new RegExp(`const ${name} = [^;]*\\) satisfies Columns<'${table}'>`).test(text);
      const spread = [...argument.matchAll(/\.\.\.(\w+)/g)].map(([, name]) => name);
      const variableName = /^(?:\w+\.map\()?(\w+)/.exec(argument)?.[1];
      const literal = /^\{|^\w+\.map\(\w+ => \(\{/.test(argument);
      return [...spread, ...(literal ? [] : [variableName])].every(isChecked)
        ? []
        : [`${table}: ${argument.split('\n')[0]}`];
    },
  );
}

const readSourceFiles = () =>
  readdirSync(join(ROOT, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(path => readFileSync(join(ROOT, 'server/src', path), 'utf8'));

test('the compiler checks the columns of every insert and update', () => {
  expect(readSourceFiles().flatMap(findUncheckedWrites)).toEqual([]);
});

/** Files that open a change without a caller: at startup, on a schedule, after a delivery or rejected login, or in a code exchange. */
const CHANGE_OPENERS = [
  'delivery/sending/disable-failing.ts',
  'flags/health/announce.ts',
  'flags/lifecycle/advance.ts',
  'importing/rules/write.ts',
  'importing/unleash/synchronize.ts',
  'people/api-tokens/initial-admin-tokens.ts',
  'people/authorization/issue.ts',
  'people/authorization/sweep.ts',
  'people/sessions/login-blocked.ts',
  'people/users/first-admin.ts',
  'reporting/applications/announce.ts',
  'reporting/applications/expire.ts',
];

test('only routes and a few named functions open a change', () => {
  const openers = readdirSync(join(ROOT, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !/\.test\.ts$|routes\.ts$|^test\//.test(path))
    .filter(path =>
      /\bchange\((?:\w+\.)?(?:db|workerDb),/.test(readFileSync(join(ROOT, 'server/src', path), 'utf8')),
    );

  expect(openers.toSorted()).toEqual(CHANGE_OPENERS);
});

test('lists are compared with any, because `in` creates a different statement for every list length', () => {
  const IN = /\.(where|having|on|or)\([^)]*'(not )?in',.*|\b(not )?in \(\$\{sql\.join.*/g;

  expect(".where('name', 'in', names)".match(IN)).toHaveLength(1);
  expect(readSourceFiles().flatMap(text => text.match(IN) ?? [])).toEqual([]);
});

test.each([
  ['a variable', "tx.insertInto('tags').values(tag).execute()"],
  ['a spread', "tx.updateTable('tags')\n  .set({ type, ...columns(tag) }).execute()"],
  [
    'columns of a different table',
    "const c = () => ({}) satisfies Columns<'a'>; tx.updateTable('tags').set(c(tag)).execute()",
  ],
])('the check notices %s, which the compiler cannot verify', (_case, text) => {
  expect(findUncheckedWrites(text)).toHaveLength(1);
});

test('the compiler rejects an unknown column where it is written', () => {
  const columns = () =>
    // @ts-expect-error: there is no such column
    ({ type: 'x', no_such_column: 1 }) satisfies Columns<'tags'>;
  expect(columns).toBeTypeOf('function');
});

test('every program reads its options with readOptions', () => {
  const files = globSync(['bench/**/*.ts', 'server/scripts/**/*.ts'], { cwd: ROOT });
  const programs = files.map(path => [path, readFileSync(join(ROOT, path), 'utf8')] as const);

  expect(programs.filter(([, text]) => /parseArgs|process\.argv/.test(text)).map(([path]) => path)).toEqual(
    [],
  );
});

test('every script that opens the database reads .env', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['start', 'dev', 'migrate', 'table-types', 'rotate-secrets']) {
    expect(scripts[name]).toContain('--env-file-if-exists=.env');
  }
});

test('the image installs the packages of every workspace', () => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  for (const name of workspaces) expect(dockerfile).toContain(`COPY ${name}/package.json ${name}/\n`);
});

test('no dependency has an install script, and the lockfile names no registry', () => {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('hasInstallScript');
  expect(lock).not.toMatch(/"resolved": "http/);
});

test('every test project runs in a job of the check workflow', () => {
  const [jobs = ''] = readFileSync(join(ROOT, '.github/workflows/check.yaml'), 'utf8').split(
    '\n  postgres:\n',
  );
  const runProjects = [...jobs.matchAll(/--project (?:'([^']+)'|([\w-]+))/g)].map(
    ([, quoted, bare]) => quoted ?? bare,
  );
  const config = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');
  const projects = [...config.matchAll(/\bname: '([^']+)'/g)].map(([, name]) => name);

  expect(runProjects.toSorted()).toEqual(projects.toSorted());
});
