import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceAll } from '../../src/flags/lifecycle/advance.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openDb } from '../../src/platform/db/database.ts';
import { locate } from '../../src/platform/files.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../src/test/database.ts';
import { makeSampleData } from './make.ts';

const name = `halyard_story_${randomBytes(6).toString('hex')}`;
const config = readConfig({
  DATABASE_URL: getDatabaseUrl(name),
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
});
const client = new pg.Client({ connectionString: getDatabaseUrl(name) });

beforeAll(async () => {
  await createDatabase(name);
  await makeSampleData(config);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await dropDatabase(name);
});

const readRows = async (sql: string) => (await client.query(sql)).rows;

test('the events cover 60 days, and their times are in the order of their ids', async () => {
  const [events] = await readRows(`
    select count(*)::int as events, extract(day from now() - min(created_at))::int as days,
      count(distinct created_at::date)::int as "activeDays", max(created_at) <= now() as past,
      bool_and(created_at >= before) as ordered
    from (select created_at, coalesce(lag(created_at) over (order by id), created_at) as before from events) e`);

  expect(events).toMatchObject({ days: 60, past: true, ordered: true });
  expect(events.events).toBeGreaterThan(300);
  expect(events.activeDays).toBeGreaterThan(40);
});

test('features have the times of the events that created them', async () => {
  const [wrong] = await readRows(`
    select count(*)::int as count from features f join events e on e.feature_name = f.name and e.type = 'feature-created'
    where abs(extract(epoch from f.created_at - e.created_at)) > 5`);

  expect(wrong).toEqual({ count: 0 });
});

test('events are immutable again once the data is complete', async () => {
  await expect(client.query("update events set type = 'x'")).rejects.toThrow('events are immutable');
});

test('the warehouse webhook has failed three times and will be retried', async () => {
  const deliveries = await readRows(`
    select d.state, count(a.number)::int as attempts, min(a.status) as status, max(d.due_at) > now() as later,
      max(a.started_at) < now() - interval '20 minutes' as shifted
    from integration_deliveries d
    join integrations i on i.id = d.integration_id and i.description like '%warehouse%'
    join integration_attempts a on a.delivery_id = d.id
    where d.state = 'retrying'
    group by d.id, d.state`);

  expect(deliveries.length).toBeGreaterThan(0);
  expect(deliveries[0]).toEqual({ state: 'retrying', attempts: 3, status: 503, later: true, shifted: true });
});

test('the flag in the README is enabled in development', async () => {
  expect(
    await readRows(
      "select enabled from feature_environments where feature_name = 'sepa-instant' and environment = 'development'",
    ),
  ).toEqual([{ enabled: true }]);
});

test('the file that the demo loads has the flags of the sample data (update it with npm run demo-snapshot)', async () => {
  const lines = readFileSync(locate('sampleData'), 'utf8').split('\n');
  const readTable = (table: string) =>
    JSON.parse(lines[lines.findIndex(line => line.startsWith(`{"table":"${table}"`)) + 1] ?? '[]');

  expect(
    readTable('features')
      .map((flag: { name: string }) => flag.name)
      .sort(),
  ).toEqual(
    (await readRows('select name from features order by name collate "C"')).map(({ name: flag }) => flag),
  );
  expect(readTable('features').filter((flag: { stale: boolean }) => flag.stale)).toMatchObject([
    { name: 'old-card-form' },
  ]);
  expect(readTable('feature_environments')).toContainEqual(
    expect.objectContaining({ feature_name: 'sepa-instant', environment: 'development', enabled: true }),
  );
});

test('contains a stale flag and a clone', async () => {
  expect(await readRows('select name from features where stale')).toEqual([{ name: 'old-card-form' }]);
  expect(
    await readRows(
      "select data -> 'clonedFrom' is not null as cloned from events where feature_name = 'checkout-express-b2b' and type = 'feature-created'",
    ),
  ).toEqual([{ cloned: true }]);
});

test('applications have reported usage for 30 days, and flags have the resulting stages', async () => {
  const [counts] = await readRows(`
    select count(distinct day) >= 30 as month, sum(yes) > 0 and sum(no) > 0 as both, max(day) >= current_date - 1 as recent
    from metric_days`);
  expect(counts).toEqual({ month: true, both: true, recent: true });

  const [hours] = await readRows(`
    select count(distinct hour) > 100 as many, bool_and(hour = date_trunc('hour', hour)) as whole, max(hour) <= now() as past
    from metric_hours`);
  expect(hours).toEqual({ many: true, whole: true, past: true });

  const stages = await readRows('select distinct stage from feature_lifecycles order by stage');
  expect(stages.map(({ stage }) => stage)).toEqual(['initial', 'live', 'pre-live']);
  const unseenFlags = await readRows(
    'select name from features where name not in (select feature_name from feature_last_seen)',
  );
  expect(unseenFlags).toHaveLength(2);
});

test('no flag would move to a different stage when a server starts', async () => {
  const db = openDb({ url: config.databaseUrl, poolSize: 1, onError: () => {} });

  expect(await advanceAll(db)).toBe(0);
  await db.destroy();
});

test('rejects a database that is not empty and leaves it unchanged', async () => {
  const countBefore = await readRows('select count(*) from events');

  await expect(makeSampleData(config)).rejects.toThrow('requires an empty database');

  expect(await readRows('select count(*) from events')).toEqual(countBefore);
});
