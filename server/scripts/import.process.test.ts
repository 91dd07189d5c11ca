import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { useHarness } from '../src/test/harness.ts';
import { recordedUnleash } from '../src/test/unleash-database.ts';
import { describe as describeProgress } from './import-progress.ts';

const harness = useHarness();
const SCRIPT = fileURLToPath(new URL('import.ts', import.meta.url));
const ENV = {
  ...COMPILE_CACHE,
  PATH: process.env.PATH,
  HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
};

function runImport(args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    env: { ...ENV, DATABASE_URL: harness.databaseUrl },
  });
  return { status, stdout, stderr };
}

test.each([
  [[], 'Name the product: unleash, launchdarkly or flagsmith.'],
  [['flipt'], "Unknown product 'flipt'."],
  [['launchdarkly'], 'Name a file, or use --token and --from-project.'],
  [['flagsmith'], 'Name the file with the environment document.'],
  [['flagsmith', SCRIPT], 'is not JSON'],
  [['unleash'], '--from is missing: the database of Unleash, or its URL.'],
  [['unleash', 'undo', '--from', 'postgres://a'], "Unknown word 'undo'."],
  [['unleash', '--from', 'mysql://a'], '--from must begin with postgres:// or https://.'],
  [['unleash', '--from', 'https://a'], '--token is missing: an admin token of Unleash'],
  [['unleash', '--from', 'https://a', '--token', 'x', '--follow'], '--follow needs the database of Unleash.'],
  [['unleash', '--from', 'postgres://a', '--plan', '--follow'], 'Use either --plan or --follow.'],
])('exits with 2 for %j', (args, message) => {
  const { status, stderr } = runImport(args);

  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

test("says what is wrong with Unleash's database, without a stack and without the password", () => {
  const { status, stderr } = runImport(['unleash', '--from', 'postgres://a:hidden@127.0.0.1:1/unleash']);

  expect(status).toBe(1);
  expect(stderr).toContain('Cannot read the Unleash database');
  expect(stderr).not.toMatch(/hidden|^\s+at /m);
});

test('prints a plan, imports, writes nothing the second time, and takes over a change after kill -9', async () => {
  const unleash = await recordedUnleash('8.2.0');
  const from = ['unleash', '--from', unleash.url, '--accept'];

  const plan = runImport([...from, '--plan']);
  expect(plan.stdout).toContain('This is a plan. Nothing was written.');
  const killed = spawn(process.execPath, [SCRIPT, ...from], {
    env: { ...ENV, DATABASE_URL: harness.databaseUrl },
    stdio: 'ignore',
  });
  // Wherever it is killed, what it has written is consistent.
  await sleep(500 + Math.random() * 1_000);
  killed.kill('SIGKILL');
  if (killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
  const first = runImport(from);
  expect(first.stdout).toMatch(/features +\d+ +0 +0/);
  // The integration of a provider that Halyard does not have.
  expect(first).toMatchObject({ status: 1 });
  expect(first.stdout).toContain('provider "jira-comment" does not exist');

  expect(runImport(from).stdout).toContain('Written: 0.');
  const { rows } = await sql<{ count: number }>`select count(*) from features`.execute(harness.db);
  expect(rows[0]?.count).toBe(12);
});

test('follows Unleash until it is stopped', async () => {
  const unleash = await recordedUnleash('8.2.0');
  const child = spawn(process.execPath, [SCRIPT, 'unleash', '--from', unleash.url, '--accept', '--follow'], {
    env: { ...ENV, DATABASE_URL: harness.databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await expect.poll(() => output, { timeout: 120_000 }).toContain('Following Unleash');

  await unleash.run(`
    update features set description = 'while following' where name = 'dark-mode';
    insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-updated', 'ada', 'dark-mode' from events`);
  await expect.poll(() => output, { timeout: 120_000 }).toMatch(/written: features 1\b.* \(\d+ ms\)/);
  const { rows } = await sql<{ description: string }>`
    select description from features where name = 'dark-mode'`.execute(harness.db);
  expect(rows[0]?.description).toBe('while following');
  await unleash.run(`
    delete from features where name = 'no-strategy';
    insert into events (id, type, created_by, feature_name) select max(id) + 1, 'feature-deleted', 'ada', 'no-strategy' from events`);
  await expect
    .poll(
      async () =>
        (await sql`select from features where name = 'no-strategy'`.execute(harness.db)).rows.length,
      {
        timeout: 120_000,
      },
    )
    .toBe(0);
  expect((await sql`select from features`.execute(harness.db)).rows.length).toBe(11);
  child.kill('SIGTERM');
  const [status] = await once(child, 'exit');
  expect(output).toContain('Stopped.');
  // The integration that was rejected.
  expect(status).toBe(1);
});

test('progress has the rate and the remaining time', () => {
  expect(describeProgress('features', 1_200, 5_000, 2)).toBe('features: 1,200 of 5,000, 600/s, 7 s left');
  expect(describeProgress('roles', 3, undefined, 0)).toBe('roles: 3, 0/s');
});

const LAUNCHDARKLY = fileURLToPath(
  new URL('../src/importing/launchdarkly/fixtures/project.json', import.meta.url),
);

test('imports flags of LaunchDarkly after a plan that writes nothing', async () => {
  const args = [
    'launchdarkly',
    LAUNCHDARKLY,
    '--environment',
    'production',
    '--environment',
    'test=development',
  ];
  const count = async () => (await sql`select 1 from features`.execute(harness.db)).rows.length;
  const before = await count();

  const plan = runImport([...args, '--plan']);
  expect(plan.stdout).toContain('This is a plan. Nothing was written.');
  expect(await count()).toBe(before);

  const imported = runImport(args);
  // One flag uses a big segment, and another has a name that cannot be part of a URL.
  expect(imported).toMatchObject({ status: 1, stderr: expect.not.stringContaining('Error') });
  expect(imported.stdout).toContain(
    'experiment in production: segment "everyone-we-know", which is a big segment',
  );
  expect(await count()).toBe(before + 3);
});

test('says what is missing for an import of rules, in a plan too, without a stack', () => {
  const noProject = runImport(['launchdarkly', LAUNCHDARKLY, '--project', 'nowhere']);
  const plan = runImport(['launchdarkly', LAUNCHDARKLY, '--plan']);
  const imported = runImport(['launchdarkly', LAUNCHDARKLY]);

  expect(noProject).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/Project "nowhere" does not exist\.$/m),
  });
  expect(noProject.stderr).not.toMatch(/^\s+at /m);
  expect(plan.stdout).toMatch(
    /To do before the import: 1\n {2}Project "default" does not have this environment: test\. Add it to the project, or choose another one with --environment there=here\.\n\nThis is a plan/,
  );
  expect(imported.stderr).toMatch(/Nothing was written\.\nProject "default" does not have/);
});
