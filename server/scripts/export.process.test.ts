import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { useHarness } from '../src/test/harness.ts';
import { call } from '../src/test/request.ts';
import { createRecordedDatabase } from '../src/test/unleash-database.ts';

const harness = useHarness();

function run(script: 'import' | 'export', ...args: string[]) {
  return spawnSync(process.execPath, [fileURLToPath(new URL(`${script}.ts`, import.meta.url)), ...args], {
    encoding: 'utf8',
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: harness.databaseUrl,
    },
  });
}

const send = async (method: 'POST' | 'DELETE', path: string, body?: object) =>
  await call(harness.app, method, `/api/admin/projects/default/${path}`, body ? { body } : {});

test('prints what changed since the import, and bodies that an import accepts', async () => {
  expect(run('export', 'unleash').stderr).toContain('Nothing was imported from Unleash');
  const unleash = await createRecordedDatabase('8.2.0');
  run('import', 'unleash', '--from', unleash.url, '--accept');
  expect(run('export', 'unleash').stdout).toContain('Flags that differ from the import: 0');

  await send('POST', 'features', { name: 'gift-cards', type: 'release' });
  await send('POST', 'features/parent-flag/environments/development/on');
  await send('DELETE', 'features/no-strategy');

  const { stdout } = run('export', 'unleash');
  expect(stdout).toContain(`Flags that differ from the import: 3
  gift-cards in project default (created here)
  no-strategy in project default (archived here)
  parent-flag in project default (changed)
`);
  expect(stdout).toMatch(
    /Z admin token .* enabled flag parent-flag in environment development of project default/,
  );
  expect(stdout).not.toContain('import from Unleash');

  expect(stdout).toMatch(
    /by hand, .*:\n {2}no-strategy: archived in Halyard; an import into Unleash cannot do that\n/,
  );

  const { flags, imports, byHand } = JSON.parse(run('export', 'unleash', '--json').stdout);
  expect(flags).toHaveLength(3);
  expect(byHand).toHaveLength(1);
  expect(
    imports.map(({ environment, data }: { environment: string; data: { features: { name: string }[] } }) => [
      environment,
      ...data.features.map(({ name }) => name),
    ]),
  ).toEqual([
    ['development', 'gift-cards'],
    ['development', 'parent-flag'],
  ]);
  for (const body of imports)
    expect(
      (await call(harness.app, 'POST', '/api/admin/features-batch/validate', { body })).body.errors,
    ).toEqual([]);
});

test.each([
  [[], 'Name the product: unleash.'],
  [['flipt'], "Unknown product 'flipt'."],
])('exits with 2 for %j', (args, message) => {
  const { status, stderr } = run('export', ...args);

  expect(stderr).toContain(message);
  expect(status).toBe(2);
});
