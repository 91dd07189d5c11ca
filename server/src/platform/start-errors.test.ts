import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, dropDatabase, getDatabaseUrl, runOnServer } from '../test/database.ts';
import { type Behavior, startFakePostgres } from '../test/fake-postgres.ts';
import { migrate } from './db/migrate.ts';
import { explainListenError, explainStartError } from './start-errors.ts';

const PASSWORD = 'a-password-nobody-prints';
const unique = randomBytes(4).toString('hex');
const database = `halyard_errors_${unique}`;
const role = `halyard_errors_role_${unique}`;
const postgres = new URL(getDatabaseUrl('postgres'));
const AT = `${postgres.hostname}:${postgres.port}`;

/** Returns the database URL for the role, with a password that must never be printed. */
function asRole(user: string, name: string): string {
  const url = new URL(getDatabaseUrl(name));
  url.username = user;
  url.password = PASSWORD;
  return url.href;
}

beforeAll(async () => {
  await createDatabase(database);
  await runOnServer(`create role ${role} login password '${PASSWORD}'`);
});
afterAll(async () => {
  await dropDatabase(database);
  await runOnServer(`drop role ${role}`);
});

/** Returns what the server and every script print if this database cannot be used. */
async function getExplanation(url: string): Promise<string | undefined> {
  const error = await migrate(url).catch((thrown: unknown) => thrown);
  return explainStartError(error, url);
}

test.each<[string, string, string]>([
  [
    'refused connection',
    `postgres://halyard:${PASSWORD}@127.0.0.1:1/halyard`,
    'Cannot connect to PostgreSQL at 127.0.0.1:1: connection refused. Check DATABASE_URL, and that PostgreSQL is running.',
  ],
  [
    'refused connection to a host with two addresses',
    `postgres://halyard:${PASSWORD}@localhost:1/halyard`,
    'Cannot connect to PostgreSQL at localhost:1: connection refused. Check DATABASE_URL, and that PostgreSQL is running.',
  ],
  [
    'unknown host',
    `postgres://halyard:${PASSWORD}@host.invalid/halyard`,
    'Cannot connect to PostgreSQL at host.invalid:5432: host not found. Check the host in DATABASE_URL.',
  ],
  [
    'unknown role',
    asRole('nobody', database),
    `PostgreSQL at ${AT} has no role "nobody". Create it with createuser, or correct DATABASE_URL.`,
  ],
  [
    'unknown database',
    asRole('postgres', 'halyard_missing'),
    `PostgreSQL at ${AT} has no database "halyard_missing". Create it with createdb, or correct DATABASE_URL.`,
  ],
  [
    'rejected TLS',
    `${asRole('postgres', database)}?sslmode=verify-full`,
    `Cannot connect to PostgreSQL at ${AT}: the server does not support TLS. Enable TLS in PostgreSQL, or remove sslmode from DATABASE_URL.`,
  ],
  [
    'missing permission',
    asRole(role, database),
    `Role "${role}" lacks a permission in database "${database}": permission denied for schema public.`,
  ],
  [
    'missing certificate file',
    `${asRole('postgres', database)}?sslrootcert=/missing.pem`,
    `Cannot connect to PostgreSQL at ${AT}: a file is missing (ENOENT: no such file or directory, open '/missing.pem').`,
  ],
])('%s is explained, without the password', async (_, url, expected) => {
  const explanation = await getExplanation(url);

  expect(explanation).toContain(expected);
  expect(explanation).not.toContain(PASSWORD);
});

test.each<[string, Behavior, RegExp]>([
  [
    'a wrong password',
    { error: '28P01', message: 'password authentication failed for user "ada"' },
    /^PostgreSQL at 127\.0\.0\.1:\d+ rejected the password of role "ada"\. Check the password in DATABASE_URL\.$/,
  ],
  [
    'PostgreSQL 14',
    { version: '140011' },
    /^PostgreSQL at 127\.0\.0\.1:\d+ has version 14, but Halyard requires 15 or newer\. Upgrade PostgreSQL, or correct DATABASE_URL\.$/,
  ],
  [
    'a full disk',
    { error: '53100', message: 'could not extend file' },
    /^The disk of PostgreSQL at 127\.0\.0\.1:\d+ is full\. Free space there, then start again\.$/,
  ],
  [
    'no free connections',
    { error: '53300', message: 'sorry, too many clients already' },
    /^PostgreSQL at 127\.0\.0\.1:\d+ accepts no more connections\. Raise max_connections, or lower HALYARD_POOL_SIZE\.$/,
  ],
  [
    'a database that is still starting',
    { error: '57P03', message: 'the database system is starting up' },
    /^PostgreSQL at 127\.0\.0\.1:\d+ does not accept connections yet: the database system is starting up\. Start again shortly\.$/,
  ],
  [
    'no response',
    'silent',
    /^Cannot connect to PostgreSQL at 127\.0\.0\.1:\d+: no response\. Check the host and port in DATABASE_URL, and any firewall in between\.$/,
  ],
])('%s is explained in one line', async (_, behavior, expected) => {
  const fakePostgres = await startFakePostgres(behavior);
  try {
    const explanation = await getExplanation(
      `postgres://ada:${PASSWORD}@127.0.0.1:${fakePostgres.port}/halyard`,
    );

    expect(explanation).toMatch(expected);
  } finally {
    fakePostgres.close();
  }
});

test('a port that requires a permission is explained', () => {
  const deniedError = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });

  expect(explainListenError(deniedError, '::', 80)).toMatchObject({
    message:
      'Cannot listen on [::]:80: the process has no permission to use this port. Set PORT to 1024 or higher.',
  });
});
