import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { useHarness } from '../src/test/harness.ts';
import { createRecordedDatabase } from '../src/test/unleash-database.ts';
import { describeProgress } from './import-progress.ts';

const harness = useHarness();
const SCRIPT = fileURLToPath(new URL('import.ts', import.meta.url));
const fixturePath = (path: string): string =>
  fileURLToPath(new URL(`../src/importing/${path}`, import.meta.url));
const LAUNCHDARKLY = fixturePath('launchdarkly/fixtures/project.json');
const FLAGSMITH = fixturePath('flagsmith/fixtures/environment.json');
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
  [[], 'Name the product: unleash, launchdarkly, flagsmith, growthbook or flipt.'],
  [['statsig'], "Unknown product 'statsig'."],
  [['growthbook'], 'Name a file, or use --token.'],
  [['flipt'], 'Name the file with the Flipt flags.'],
  [['flipt', '--token', 'hidden'], "Unknown option '--token'."],
  [['flipt', SCRIPT], 'is not YAML'],
  [['flipt', '/dev/null'], 'The data has no flags, so there is nothing to import.'],
  [['growthbook', '--token', 'x', '--from', 'foo'], '--from must be a URL that begins with https://.'],
  [['growthbook', '--token', 'x', '--from', 'https://a:hidden@b'], '--from must not contain a username'],
  [['launchdarkly'], 'Name a file, or use --token and --from-project.'],
  [['flagsmith'], 'Name the file with the Flagsmith flags.'],
  [['flagsmith', SCRIPT], 'is not JSON'],
  [['unleash'], "--from is missing: the connection string of Unleash's database, or the URL of Unleash."],
  [['unleash', 'undo', '--from', 'postgres://a'], "Unknown argument 'undo'."],
  [['unleash', '--from', 'mysql://a'], '--from must begin with postgres:// or https://.'],
  [['unleash', '--from', 'https://a'], '--token is missing or empty: an admin token of Unleash'],
  [['unleash', '--from', 'https://a', '--token', ''], '--token is missing or empty'],
  [['unleash', '--from', 'https://a', '--token', 'x', '--follow'], "--follow needs Unleash's database."],
  [['unleash', '--from', 'postgres://a', '--plan', '--follow'], 'Use either --plan or --follow.'],
  [['unleash', '--from', 'https://', '--token', 'x'], '--from is not a valid URL.'],
  [
    ['unleash', 'verify', '--from', 'postgres://a', '--unleash', 'unleash.example.com'],
    '--unleash must be a URL such as https://unleash.example.com.',
  ],
  [
    ['unleash', 'verify', '--from', 'postgres://a', '--unleash', 'https://a', '--halyard', 'localhost:4242'],
    '--halyard must be a URL such as https://halyard.example.com.',
  ],
  [['postgres://a:hidden@b/c'], 'Pass the URL of Unleash with --from, after the word unleash.'],
  [['unleash', 'postgres://a:hidden@b/c'], 'Pass the URL of Unleash with --from'],
  [
    ['unleash', '--from', 'https://a:hidden@b', '--token', 'x'],
    '--from must not contain a username or password.',
  ],
  [
    ['unleash', 'verify', '--from', 'postgres://a', '--unleash', 'https://hidden@b'],
    '--unleash must not contain a username or password.',
  ],
  [['unleash', '--from', 'https://a', '--token', 'hidden\nx'], '--token must be one line.'],
  [['launchdarkly', 'flags.json', 'more.json'], "Unknown argument 'more.json'."],
  [['launchdarkly', 'flags.json', '--token', 'hidden'], '--token is not used with a file.'],
  [['launchdarkly', 'flags.json', '--save', 'x'], '--save is not used with a file.'],
  [
    ['launchdarkly', LAUNCHDARKLY, '--environment', 'staging'],
    '--environment staging is not in the data, which has production, test.',
  ],
  [
    ['launchdarkly', LAUNCHDARKLY, '--environment', 'test=production', '--environment', 'production'],
    '--environment has "production" twice.',
  ],
  [['flagsmith', FLAGSMITH, '--environment', 'a=b'], '--environment must be one name without ='],
])('exits with 2 for %j', (args, message) => {
  const { status, stderr } = runImport(args);

  expect(stderr).toContain(message);
  expect(stderr).not.toContain('hidden');
  expect(status).toBe(2);
});

test("explains why Unleash's database cannot be read, without a stack trace or the password", () => {
  const { status, stderr } = runImport(['unleash', '--from', 'postgres://a:hidden@127.0.0.1:1/unleash']);

  expect(status).toBe(1);
  expect(stderr).toContain(
    'Cannot read the Unleash database: connect ECONNREFUSED 127.0.0.1:1. Check the host and the port in --from',
  );
  expect(stderr).not.toMatch(/hidden|^\s+at /m);
});

test("reports a database that is not migrated or is not Halyard's, without a stack trace", async () => {
  const { url, run } = await createRecordedDatabase('8.2.0');
  const importInto = () =>
    spawnSync(process.execPath, [SCRIPT, 'unleash', '--from', url], {
      encoding: 'utf8',
      env: { ...ENV, DATABASE_URL: url },
    });

  const foreignImport = importInto();
  await run('create table migration_checksums (name text primary key, checksum text not null)');
  const oldImport = importInto();

  expect(foreignImport.status).toBe(1);
  expect(foreignImport.stderr).toMatch(
    /does not have Halyard's tables\. Check DATABASE_URL, and run npm run migrate first\.\n$/,
  );
  expect(foreignImport.stderr).not.toMatch(/^\s+at /m);
  expect(oldImport.stderr).toMatch(/is not fully migrated .* run npm run migrate first\.\n$/);
});

test('exits without a stack trace if its output is closed', async () => {
  const { url } = await createRecordedDatabase('8.2.0');
  const child = spawn(process.execPath, [SCRIPT, 'unleash', '--from', url, '--plan'], {
    env: { ...ENV, DATABASE_URL: harness.databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();

  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);

  expect(errors).not.toMatch(/EPIPE|^\s+at /m);
  expect(status).toBe(141);
});

test('verify does not compare a server with itself, and does not report rejected tokens as equal', async () => {
  const { url, run } = await createRecordedDatabase('8.2.0');
  const verifyArgs = ['unleash', 'verify', '--from', url];
  const rejectingServer = createServer((_, reply) => void reply.writeHead(401).end());
  await new Promise<void>(resolve => rejectingServer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void rejectingServer.close());
  const { port } = rejectingServer.address() as AddressInfo;
  await run(`insert into api_tokens (secret, type, environment, token_name, created_at)
    values ('*:production.expired', 'client', 'production', 'expired', now())`);

  const sameServerRun = runImport([...verifyArgs, '--unleash', 'http://localhost:4242']);
  expect(sameServerRun).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Both servers have the URL'),
  });

  const child = spawn(
    process.execPath,
    [SCRIPT, ...verifyArgs, '--unleash', `http://127.0.0.1:${port}`, '--halyard', `http://localhost:${port}`],
    { env: { ...ENV, DATABASE_URL: harness.databaseUrl }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(output).toContain('expired: both servers reject this token with 401');
  expect(output).toContain('No flags were compared.');
  expect(status).toBe(1);
});

test('verify lists each difference once, with the tokens that reveal it', async () => {
  const { url } = await createRecordedDatabase('8.2.0');
  // Depending on the host name in the request, this server acts as Unleash or as Halyard.
  const server = createServer(({ headers: { host = '' } }, reply) => {
    const feature = { name: 'checkout', enabled: host.startsWith('127.'), strategies: [{ name: 'default' }] };
    reply.end(JSON.stringify({ features: [feature], toggles: [] }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const child = spawn(
    process.execPath,
    [
      ...[SCRIPT, 'unleash', 'verify', '--from', url],
      ...['--unleash', `http://127.0.0.1:${port}`, '--halyard', `http://localhost:${port}`],
      ...['--token', 'a', '--token', 'b', '--token', 'c', '--token', 'd'],
    ],
    { env: { ...ENV, DATABASE_URL: harness.databaseUrl }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);

  expect(output).toContain(
    '\n  checkout: enabled is true in Unleash and false in Halyard (tokens --token 1, --token 2, --token 3 and 1 more)\n',
  );
  expect(output).toContain('--token 4: 1 flag, 1,000 evaluations, 2 differences');
  expect(status).toBe(1);
});

test('prints a plan, completes an import that was killed, and writes nothing when repeated', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const importArgs = ['unleash', '--from', unleash.url, '--accept'];

  const plan = runImport([...importArgs, '--plan']);
  expect(plan.stdout).toContain('This is a plan. Nothing was written.');
  const killedImport = spawn(process.execPath, [SCRIPT, ...importArgs], {
    env: { ...ENV, DATABASE_URL: harness.databaseUrl },
    stdio: 'ignore',
  });
  // Kills the import at a random time, because the data must be consistent at any moment.
  await sleep(500 + Math.random() * 1_000);
  killedImport.kill('SIGKILL');
  if (killedImport.exitCode === null && killedImport.signalCode === null) await once(killedImport, 'exit');
  const first = runImport(importArgs);
  expect(first.stdout).toMatch(/features +\d+ +0 +0/);
  // One of the integrations has a provider that Halyard does not have.
  expect(first).toMatchObject({ status: 0 });
  expect(first.stdout).toContain('jira-comment 3: Halyard has no integration of this kind');

  expect(runImport(importArgs).stdout).toContain('Written: 0.');
  const { rows } = await sql<{ count: number }>`select count(*) from features`.execute(harness.db);
  expect(rows[0]?.count).toBe(12);
});

test("explains that the key differs from the server's, without a stack trace", async () => {
  const { url } = await createRecordedDatabase('8.2.0');
  runImport(['unleash', '--from', url]);

  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, 'unleash', '--from', url], {
    encoding: 'utf8',
    env: {
      ...ENV,
      DATABASE_URL: harness.databaseUrl,
      HALYARD_SECRET_KEY: Buffer.alloc(32, 8).toString('base64'),
    },
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^HALYARD_SECRET_KEY is not the key that encrypted .*\. Set the same key as on the server\.$/m,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('verify --help describes verify and its own options', () => {
  const help = runImport(['unleash', 'verify', '--help']).stdout;

  expect(help).toMatch(/^Compares what Unleash and Halyard send to SDKs/);
  expect(help).toContain('--halyard');
  expect(help).not.toContain('--overwrite');
  expect(help).toContain('docs/how-to/move-from-unleash.md');
  const importHelp = runImport(['unleash', '--help']).stdout;
  expect(importHelp).not.toContain('--halyard');
  expect(importHelp).toContain('docs/how-to/move-from-unleash.md');
});

test('follows Unleash until it is stopped', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
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
  expect(status).toBe(0);
});

test('the progress line shows the rate and the remaining time', () => {
  expect(describeProgress('features', 1_200, 5_000, 2)).toBe('features: 1,200 of 5,000, 600/s, 7 s left');
  expect(describeProgress('roles', 3, undefined, 0)).toBe('roles: 3, 0/s');
});

test('plans an import of LaunchDarkly flags without writing anything, then imports the flags', async () => {
  const args = [
    'launchdarkly',
    LAUNCHDARKLY,
    '--environment',
    'production',
    '--environment',
    'test=development',
  ];
  const count = async () => (await sql`select 1 from features`.execute(harness.db)).rows.length;
  const countBefore = await count();

  const plan = runImport([...args, '--plan']);
  expect(plan.stdout).toContain('This is a plan. Nothing was written.');
  expect(await count()).toBe(countBefore);

  const importRun = runImport(args);
  // Exits with 1, because one flag uses a big segment and another has a name that cannot be part of a URL.
  expect(importRun).toMatchObject({ status: 1, stderr: expect.not.stringContaining('Error') });
  expect(importRun.stdout).toContain(
    'experiment in production: segment "everyone-we-know", which is a big segment',
  );
  expect(await count()).toBe(countBefore + 3);
});

test('imports Flipt namespaces as environments', () => {
  const flipt = fixturePath('flipt/fixtures/features.yaml');

  const plan = runImport(['flipt', flipt, '--plan']);
  const importRun = runImport(['flipt', flipt, '--environment', 'development=production']);

  expect(plan.stdout).toContain('  production: 4 flags, 7 strategies\n  development: 1 flag, 0 strategies\n');
  expect(plan.stdout).toContain('the operator "notempty" for STRING_COMPARISON_TYPE');
  expect(importRun).toMatchObject({ status: 0, stdout: expect.stringContaining('  production: 1 flag') });
});

test('an import of rules, planned or not, says what is missing, without a stack trace', () => {
  const noProject = runImport(['launchdarkly', LAUNCHDARKLY, '--project', 'nowhere']);
  const plan = runImport(['launchdarkly', LAUNCHDARKLY, '--plan']);
  const importRun = runImport(['launchdarkly', LAUNCHDARKLY]);

  expect(noProject).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/Project "nowhere" does not exist\.$/m),
  });
  expect(noProject.stderr).not.toMatch(/^\s+at /m);
  expect(plan.stdout).toMatch(
    /To do before the import: 1\n {2}Project "default" does not have this environment: test\. Add it to the project, or choose a different one with --environment theirs=ours\.\n\nThis is a plan/,
  );
  expect(importRun.stderr).toMatch(/Nothing was written\.\nProject "default" does not have/);
});
