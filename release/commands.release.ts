import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';
import { startProcess, stopProcess } from '../server/src/test/process.ts';
import { getHalyardCommand, runToEnd } from './support/package.ts';

const HALYARD = getHalyardCommand(inject('installFolder'));
const ENTRY = join(inject('installFolder'), 'node_modules/halyard/bin/halyard.cjs');
const database = `halyard_release_${process.pid}`;
const QUIET_OPTIONS = ['--loglevel=error', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
const folder = mkdtempSync(join(tmpdir(), 'halyard-commands-'));

afterAll(async () => {
  await dropDatabase(database);
  rmSync(folder, { recursive: true });
});

test('--version prints the version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

  expect(await runToEnd(HALYARD, ['--version'])).toEqual({ code: 0, output: `${version}\n` });
});

test.each([[['--help']], [[]]])('halyard %j lists the commands', async args => {
  const { code, output } = await runToEnd(HALYARD, args);

  expect(code).toBe(0);
  for (const name of [
    'server',
    'demo',
    'migrate',
    'health',
    'rotate-secrets',
    'nats-config',
    'snapshot',
    'drill',
    'event-index',
    'sdk-documents',
  ])
    expect(output).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
});

test.each([
  ['migrat', 'There is no command \\"migrat\\". Did you mean `migrate`?'],
  ['toString', 'There is no command \\"toString\\".'],
  ['--colour', 'There is no option \\"--colour\\".'],
])('halyard %s exits with 2', async (name, message) => {
  const { code, output } = await runToEnd(HALYARD, [name]);

  expect(code).toBe(2);
  expect(output).toContain(message);
});

test('the package includes the CLI commands', async () => {
  const { code, output } = await runToEnd(HALYARD, ['flags', 'list', '--server', 'http://127.0.0.1:1'], {
    HALYARD_TOKEN: 'user:token',
  });

  expect(output).toContain('"code":"Unreachable"');
  expect(code).toBe(1);
});

test.each([
  'server',
  'demo',
  'migrate',
  'health',
  'rotate-secrets',
  'nats-config',
  'drill',
  'event-index',
  'sdk-documents',
])('%s has its own help and rejects an unknown option', async name => {
  const help = await runToEnd(HALYARD, [name, '--help']);
  expect(help.code).toBe(0);
  expect(help.output).toContain(`Usage: halyard ${name} [<option>]`);
  expect(help.output).toContain('Documentation: docs/reference/configuration.md in the Halyard repository');
  expect(await runToEnd(HALYARD, [name, '--bogus'])).toEqual({
    code: 2,
    output: `Unknown option '--bogus'. Run halyard ${name} --help for all options.\n`,
  });
});

test.each(['6.17.1', '12.22.12', '22.12.0'])('rejects Node.js %s with a clear message', async version => {
  const spec = `node-${process.platform}-${process.arch}@${version}`;
  const installFolder = join(folder, version);
  const installResult = await runToEnd('npm', ['install', ...QUIET_OPTIONS, '--prefix', installFolder, spec]);
  expect(installResult.code, installResult.output).toBe(0);
  const oldNode = join(installFolder, `node_modules/node-${process.platform}-${process.arch}/bin/node`);

  expect(await runToEnd(oldNode, [ENTRY, 'server'])).toEqual({
    code: 1,
    output: `Halyard requires Node.js 24.7 or newer. This is version ${version}. Install a newer one.\n`,
  });
});

test('an error names the source file and line', async () => {
  await createDatabase(database);
  const preloadFile = join(folder, 'fault.cjs');
  writeFileSync(
    preloadFile,
    "require('node:net').Server.prototype.listen = () => { throw new Error('planted'); };",
  );

  const { code, output } = await runToEnd(HALYARD, ['server'], {
    DATABASE_URL: getDatabaseUrl(database),
    NODE_OPTIONS: `--require ${preloadFile}`,
    LOG_LEVEL: 'fatal',
  });

  expect(code).toBe(1);
  expect(output).toContain('Error: planted');
  const [, line = '0'] = /server\/src\/server\.ts:(\d+):\d+/.exec(output) ?? [];
  const source = readFileSync(new URL('../server/src/server.ts', import.meta.url), 'utf8').split('\n');
  expect(source[Number(line) - 1]).toContain('app.listen(');
});

test('migrate, the maintenance commands, the server and the health check work on a real database', async () => {
  await createDatabase(database);
  const env = {
    DATABASE_URL: getDatabaseUrl(database),
    HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };

  const migrateResult = await runToEnd(HALYARD, ['migrate'], env);
  expect(migrateResult).toMatchObject({ code: 0, output: expect.stringContaining('Applied 0001_') });
  for (const name of ['event-index', 'sdk-documents', 'rotate-secrets'])
    expect(await runToEnd(HALYARD, [name], env)).toMatchObject({ code: 0 });

  const server = await startProcess(env, undefined, ENTRY, ['server']);
  const serverEnv = { PORT: String(server.port), HOST: '127.0.0.1' };
  expect(await runToEnd(HALYARD, ['health'], serverEnv)).toMatchObject({
    code: 0,
    output: expect.stringContaining('GOOD'),
  });
  for (const path of ['/', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json'])
    expect((await fetch(server.url + path, { headers: { accept: 'text/html' } })).status, path).toBe(200);
  expect((await stopProcess(server)).code).toBe(0);
  expect(await runToEnd(HALYARD, ['health'], serverEnv)).toMatchObject({ code: 1 });
});
