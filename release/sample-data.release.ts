import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSnapshot } from '../server/scripts/sample-data/snapshot.ts';
import { resealSecrets } from '../server/src/delivery/integrations/reseal.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { openDb } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { makeKeyring } from '../server/src/platform/secrets/seal.ts';
import { findDifferences } from '../server/src/publishing/projection/verify.ts';
import { startServer } from '../server/src/server.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';

const name = `halyard_snapshot_${randomBytes(6).toString('hex')}`;
const PASSWORD = randomBytes(15).toString('base64url');
const client = new pg.Client({ connectionString: getDatabaseUrl(name) });
const secretKey = randomBytes(32);
let admin: string | undefined;

beforeAll(async () => {
  await createDatabase(name);
  await migrate(getDatabaseUrl(name));
  admin = await loadSnapshot(getDatabaseUrl(name), { password: PASSWORD, secretKey });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await dropDatabase(name);
});

test('the snapshot matches the newest migration (update it with npm run demo-snapshot)', () => {
  expect(admin).toBe('ada');
});

test('the sample data covers 60 days and ends now', async () => {
  const { rows } = await client.query(`
    select count(*)::int as events, max(created_at) <= now() as past, max(created_at) > now() - interval '1 day' as recent,
      extract(day from now() - min(created_at))::int as days from events`);

  expect(rows[0]).toMatchObject({ past: true, recent: true, days: 60 });
  expect(rows[0].events).toBeGreaterThan(300);
});

test('only the admin has a password in the sample data, and the demo key decrypts the stored secrets', async () => {
  const { rows: users } = await client.query('select username from users where password_hash is not null');
  expect(users).toEqual([{ username: 'ada' }]);

  const db = openDb({ url: getDatabaseUrl(name), poolSize: 1, onError: () => {} });
  const { rows: integrations } = await client.query('select from integrations');
  expect(integrations.length).toBeGreaterThan(0);
  expect(await resealSecrets(db, makeKeyring(secretKey, []))).toEqual({ resealed: 0, unreadable: [] });
  await db.destroy();
});

test('applications have reported results up to the present', async () => {
  const { rows } = await client.query(`
    select (select max(hour) > now() - interval '2 hours' from metric_hours) as recent,
      (select count(*)::int from applications) as applications,
      (select count(*)::int from application_features) > 30 as used`);

  expect(rows[0]).toEqual({ recent: true, applications: 3, used: true });
});

test('the SDK documents match the flags', async () => {
  const db = openDb({ url: getDatabaseUrl(name), poolSize: 1, onError: () => {} });

  expect(await findDifferences(db)).toEqual([]);
  await db.destroy();
});

test('the admin can log in and create a flag', async () => {
  const env = {
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_SECRET_KEY: secretKey.toString('base64'),
    LOG_LEVEL: 'warn',
  };
  const server = await startServer({ ...readConfig(env), host: '127.0.0.1', port: 0 });
  try {
    const json = { 'content-type': 'application/json' };
    const login = await server.app.inject({
      method: 'POST',
      url: '/auth/simple/login',
      headers: json,
      payload: { username: 'ada', password: PASSWORD },
    });
    expect(login.statusCode).toBe(200);
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/admin/projects/payments/features',
      headers: {
        ...json,
        cookie: String(login.headers['set-cookie']).split(';')[0],
        'sec-fetch-site': 'same-origin',
      },
      payload: { name: 'after-the-demo' },
    });
    expect(response.statusCode).toBe(201);
  } finally {
    await server.stop();
  }
});
