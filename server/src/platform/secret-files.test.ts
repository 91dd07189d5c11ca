import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { findFileVariable, unknownVariables, VARIABLES, type VariableName } from './variables.ts';

const DATABASE_URL = 'postgres://halyard@db:5432/halyard';
const TOKEN = `*:*.${'s'.repeat(32)}`;
const PASSWORD = 'mauve otter lantern';
const KEY = Buffer.alloc(32, 7).toString('base64');

const folder = mkdtempSync(join(tmpdir(), 'halyard-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function writeSecretFile(text: string): string {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, text);
  return path;
}

test.each<[VariableName, string, object]>([
  ['DATABASE_URL', DATABASE_URL, { databaseUrl: DATABASE_URL }],
  ['HALYARD_INIT_ADMIN_TOKENS', TOKEN, { initAdminTokens: [TOKEN] }],
  ['HALYARD_INIT_ADMIN_PASSWORD', PASSWORD, { initAdmin: { username: 'ada', password: PASSWORD } }],
  ['HALYARD_SECRET_KEY', KEY, { secretKey: Buffer.alloc(32, 7) }],
  ['HALYARD_OLD_SECRET_KEYS', KEY, { oldSecretKeys: [Buffer.alloc(32, 7)] }],
  ['HALYARD_METRICS_TOKEN', KEY, { metricsToken: KEY }],
])('%s can be read from a file, with or without a newline at its end', (name, value, expected) => {
  const env = {
    ...(name === 'DATABASE_URL' ? {} : { DATABASE_URL }),
    ...(name === 'HALYARD_INIT_ADMIN_PASSWORD' ? { HALYARD_INIT_ADMIN_USERNAME: 'ada' } : {}),
  };

  for (const text of [value, `${value}\n`, `${value}\r\n`])
    expect(readConfig({ ...env, [`${name}_FILE`]: writeSecretFile(text) })).toMatchObject(expected);
});

test('every variable with a secret has a _FILE variable, and no other variable does', () => {
  const names = (Object.keys(VARIABLES) as VariableName[]).filter(
    name => findFileVariable(name) !== undefined,
  );

  expect(names).toEqual([
    'DATABASE_URL',
    'HALYARD_DATABASE_DIRECT_URL',
    'HALYARD_INIT_ADMIN_TOKENS',
    'HALYARD_INIT_ADMIN_PASSWORD',
    'HALYARD_SECRET_KEY',
    'HALYARD_OLD_SECRET_KEYS',
    'HALYARD_METRICS_TOKEN',
    'HALYARD_NATS_NKEY',
  ]);
});

test.each<VariableName>(['DATABASE_URL', 'HALYARD_DATABASE_DIRECT_URL', 'HALYARD_SECRET_KEY'])(
  'an empty file is an error for %s',
  name => {
    const env = name === 'DATABASE_URL' ? {} : { DATABASE_URL };

    for (const text of ['', '\n', '\r\n']) {
      const path = writeSecretFile(text);
      expect(() => readConfig({ ...env, [`${name}_FILE`]: path })).toThrow(
        `${name} is empty: ${name}_FILE names the empty file "${path}"`,
      );
    }
  },
);

test('an empty file counts as unset for the old secret keys', () => {
  const config = readConfig({ DATABASE_URL, HALYARD_OLD_SECRET_KEYS_FILE: writeSecretFile('') });

  expect(config.oldSecretKeys).toEqual([]);
});

test.each([
  ['/nonexistent/key', 'cannot be read from "/nonexistent/key" (HALYARD_SECRET_KEY_FILE): ENOENT'],
  ['/', 'cannot be read from "/" (HALYARD_SECRET_KEY_FILE): EISDIR'],
])('the unreadable file %s is reported as a configuration problem', (path, problem) => {
  expect(() => readConfig({ DATABASE_URL, HALYARD_SECRET_KEY_FILE: path })).toThrow(
    `HALYARD_SECRET_KEY ${problem}`,
  );
});

test('a file that is too large is rejected', () => {
  const path = writeSecretFile('x'.repeat(65_537));

  expect(() => readConfig({ DATABASE_URL, HALYARD_SECRET_KEY_FILE: path })).toThrow(
    'HALYARD_SECRET_KEY has more than 65536 bytes',
  );
});

test('setting both a variable and its file is rejected, without showing the secret', () => {
  const env = { DATABASE_URL, HALYARD_SECRET_KEY: KEY, HALYARD_SECRET_KEY_FILE: writeSecretFile(KEY) };

  expect(() => readConfig(env)).toThrow(
    'HALYARD_SECRET_KEY and HALYARD_SECRET_KEY_FILE are both set. Set only one of them',
  );
  expect(() => readConfig(env)).not.toThrow(KEY);
});

test('an invalid secret in a file is not shown', () => {
  const env = { DATABASE_URL, HALYARD_INIT_ADMIN_TOKENS_FILE: writeSecretFile('hunter2hunter2') };

  expect(() => readConfig(env)).toThrow('HALYARD_INIT_ADMIN_TOKENS item 1 is invalid');
  expect(() => readConfig(env)).not.toThrow('hunter2');
});

test('a _FILE variable causes a warning unless its variable holds a secret', () => {
  expect(
    unknownVariables({ HALYARD_SECRET_KEY_FILE: '/run/key', HALYARD_POOL_SIZE_FILE: '/run/size' }),
  ).toEqual(['HALYARD_POOL_SIZE_FILE is not a known variable. Run with --help to list all variables.']);
});
