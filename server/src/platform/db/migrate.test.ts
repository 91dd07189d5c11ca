import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { extendPartitions } from '../../record/events/partitions.ts';
import { copyDatabase, createDatabase, dropDatabase, getDatabaseUrl } from '../../test/database.ts';
import { makeMigrationFolder } from '../../test/migration-folder.ts';
import { openDb } from './database.ts';
import { listPendingMigrations, type MigrateOptions, migrate, requireMigrated } from './migrate.ts';

const name = `halyard_migrate_${randomBytes(4).toString('hex')}`;
const url = getDatabaseUrl(name);
let client: pg.Client;

beforeEach(async () => {
  await copyDatabase(inject('template'), name);
  client = await connect();
});
afterEach(async () => {
  await client.end();
  await dropDatabase(name);
});

async function connect(): Promise<pg.Client> {
  const newClient = new pg.Client({ connectionString: url, options: '-c lock_timeout=2s' });
  newClient.on('error', () => {});
  await newClient.connect();
  return newClient;
}

async function whilePending(
  files: Record<string, string>,
  work: () => Promise<void>,
  options?: MigrateOptions,
) {
  const runningMigration = migrate(url, { folder: makeMigrationFolder(files), ...options });
  // The test reports the first error.
  runningMigration.catch(() => {});
  await work();
  return await runningMigration;
}

const columnExists = async (table: string, column: string) =>
  (
    await client.query('select from information_schema.columns where table_name = $1 and column_name = $2', [
      table,
      column,
    ])
  ).rowCount === 1;

const listIndexes = async (like: string) =>
  (
    await client.query<{ name: string; valid: boolean }>(
      'select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid where relname like $1 order by 1',
      [like],
    )
  ).rows;

test('of several simultaneous migrators, one applies all migrations and the others find nothing to do', async () => {
  await createDatabase(name);

  const appliedNames = await Promise.all([1, 2, 3, 4].map(() => migrate(url)));

  expect(appliedNames.filter(names => names.length > 0)).toHaveLength(1);
  expect(appliedNames.flat()).toContain('0001_projects');
  expect(await migrate(url)).toEqual([]);
});

test('lists the migrations that the database lacks', async () => {
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  expect(await listPendingMigrations(db)).toEqual([]);

  await client.query("delete from migration_checksums where name = '0004_jobs'");

  expect(await listPendingMigrations(db)).toEqual(['0004_jobs']);
  await db.destroy();
});

test('requireMigrated rejects a database that lacks a migration or all tables', async () => {
  await requireMigrated(url);

  await client.query("delete from migration_checksums where name = '0004_jobs'");
  await expect(requireMigrated(url)).rejects.toThrow(`"${name}" is not fully migrated`);

  await client.query('drop table migration_checksums');
  await expect(requireMigrated(url)).rejects.toThrow(`"${name}" does not have Halyard's tables`);
});

test('rejects a migration that was edited after it was applied', async () => {
  await client.query("update migration_checksums set checksum = 'x' where name = '0001_projects'");

  await expect(migrate(url)).rejects.toThrow('Migration 0001_projects was edited after it was applied');
});

test('accepts a database that applied an earlier version of a migration', async () => {
  const replacedChecksum = 'bbe4fec2a58359326b723135bd055da5e278b1aaa2bb1038c19165997190973c';
  await client.query('update migration_checksums set checksum = $1 where name = $2', [
    replacedChecksum,
    '0013_drop_strategy_texts',
  ]);

  expect(await migrate(url)).toEqual([]);
});

test('accepts a database that is ahead of this version', async () => {
  await client.query("insert into migration_checksums (name, checksum) values ('9999_future', 'x')");

  expect(await migrate(url)).toEqual([]);
});

test('rejects a database that is both behind and ahead', async () => {
  await client.query("insert into migration_checksums (name, checksum) values ('9999_future', 'x')");
  const folder = makeMigrationFolder({ '9000_a.sql': 'select 1' });

  await expect(migrate(url, { folder })).rejects.toThrow(
    'It has 9999_future, unknown to this version, and lacks 9000_a',
  );
});

test('rejects a database from an unreleased version and names its migration, before any statement runs', async () => {
  await client.query(`
    delete from migration_checksums;
    insert into migration_checksums (name, checksum) values ('0001_projects', 'x'), ('0003_events', 'x')`);

  await expect(migrate(url)).rejects.toThrow(
    /cannot be upgraded.*It has 0003_events, unknown to this version, and lacks 0002_access\..*create a new database/,
  );
});

test('rejects a new migration that sorts before an applied one', async () => {
  const folder = makeMigrationFolder({ '0001_between.sql': 'create table never ()' });

  await expect(migrate(url, { folder })).rejects.toThrow('lacks 0001_between');
});

test('applies each file in a separate transaction, and names the statement that fails', async () => {
  const folder = makeMigrationFolder({
    '9001_a.sql': 'create table first_file ()',
    '9002_b.sql': '-- comment\ncreate table second_file ();\n\nselect no_such_function();',
  });

  await expect(migrate(url, { folder })).rejects.toThrow(
    /^Migration 9002_b\.sql failed at line 4, "select no_such_function\(\)": function .*Nothing in this file was applied.*npm run migrate/,
  );
  const { rows } = await client.query(
    "select to_regclass('first_file') is not null as first, to_regclass('second_file') is not null as second",
  );
  expect(rows).toEqual([{ first: true, second: false }]);
});

test('holds no locks from one file while the next file runs', async () => {
  await client.query('select pg_advisory_lock(1)');

  await whilePending(
    {
      '9001_column.sql': 'alter table features add column probe text',
      '9002_slow.sql': 'select pg_advisory_xact_lock(1)',
    },
    async () => {
      await expect.poll(() => columnExists('features', 'probe')).toBe(true);
      await client.query('select probe from features');
      await client.query('select pg_advisory_unlock(1)');
    },
  );
});

const countFeatureWaiters = async () =>
  (await client.query("select from pg_locks where not granted and relation = 'features'::regclass")).rowCount;

test('readers do not queue behind a migration that waits for a lock', async () => {
  const longReader = await connect();
  await longReader.query('begin; select from features');
  let retries = 0;

  await whilePending(
    { '9001_column.sql': 'alter table features add column probe text' },
    async () => {
      // The migration waits only briefly each time, so a reader that arrives later still runs before the long reader ends.
      await expect.poll(countFeatureWaiters, { interval: 10 }).toBeGreaterThan(0);
      await client.query("set lock_timeout = '30s'; select from features");
      await expect.poll(countFeatureWaiters, { interval: 10 }).toBe(0);
      expect(await columnExists('features', 'probe')).toBe(false);
      await longReader.query('commit');
    },
    { onApplied: migration => (retries = migration.retries) },
  );

  expect(retries).toBeGreaterThan(0);
  expect(await columnExists('features', 'probe')).toBe(true);
  await longReader.end();
});

test('writers do not queue behind a migration that waits for a vacuum', async () => {
  const vacuum = await connect();
  await vacuum.query('begin; lock table features in share update exclusive mode');

  await whilePending({ '9001_column.sql': 'alter table features add column probe text' }, async () => {
    await expect.poll(countFeatureWaiters).toBeGreaterThan(0);
    for (let n = 0; n < 100; n++) {
      await client.query("set lock_timeout = '20ms'; update features set stale = stale where false");
    }
    await vacuum.query('commit');
  });

  await vacuum.end();
});

test('a migration that cannot get its lock gives up after a while and lists the oldest open transactions', async () => {
  await client.query('begin; select from features');
  const folder = makeMigrationFolder({ '9001_column.sql': 'alter table features add column probe text' });

  await expect(migrate(url, { folder, retryWithinMs: 500 })).rejects.toThrow(
    /9001_column\.sql failed at line 1.*lock timeout.*Oldest open transactions: pid \d+ \(idle in transaction, open for \d+ s\)/,
  );
});

test('builds an index on a partitioned table, even for a partition that is attached during the build', async () => {
  const blocker = await connect();
  await blocker.query('begin; lock table events_p0 in share update exclusive mode');

  await whilePending(
    {
      '9001_i.concurrently.sql': `create index concurrently if not exists events_probe_idx on events (ip, id)
        where type <> 'feature-created'`,
    },
    async () => {
      await expect
        .poll(() => listIndexes('events_probe_idx'))
        .toEqual([{ name: 'events_probe_idx', valid: false }]);
      await client.query("insert into events (group_id, type, created_by) values ('x', 'user-created', 'x')");
      await client.query("select setval('events_id_seq', 8388607)");
      const db = openDb({ url, poolSize: 1, onError: () => {} });
      expect(await extendPartitions(db)).toContain('events_p2');
      await db.destroy();
      await blocker.query('commit');
    },
  );
  await blocker.end();

  const { rows } = await client.query(`
    select indrelid::regclass::text as table, indisvalid as valid from pg_index
    where indexrelid in (select inhrelid from pg_inherits where inhparent = 'events_probe_idx'::regclass)
    order by 1`);
  const partitions = await client.query("select from pg_inherits where inhparent = 'events'::regclass");
  expect(rows.map(row => row.table)).toEqual(expect.arrayContaining(['events_p0', 'events_p1', 'events_p2']));
  expect(rows).toHaveLength(partitions.rowCount ?? 0);
  expect(rows.every(row => row.valid)).toBe(true);
  expect(await listIndexes('events_probe_idx')).toEqual([{ name: 'events_probe_idx', valid: true }]);
});

test('replaces the invalid index that an interrupted attempt left behind', async () => {
  const folder = makeMigrationFolder({
    '9001_i.concurrently.sql':
      'create index concurrently if not exists features_probe_idx on features (stale, name)',
  });
  const writer = await connect();
  await writer.query('begin; lock table features in row exclusive mode');
  const first = migrate(url, { folder });
  first.catch(() => {});
  await expect
    .poll(() => listIndexes('features_probe_idx'))
    .toEqual([{ name: 'features_probe_idx', valid: false }]);
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'create index concurrently%' and pid <> pg_backend_pid()`,
  );
  await expect(first).rejects.toThrow('9001_i.concurrently.sql failed at line 1');
  await writer.query('commit');
  await writer.end();
  expect(await listIndexes('features_probe_idx')).toEqual([{ name: 'features_probe_idx', valid: false }]);

  expect(await migrate(url, { folder })).toEqual(['9001_i.concurrently']);

  expect(await listIndexes('features_probe_idx')).toEqual([{ name: 'features_probe_idx', valid: true }]);
});

test('waiting for another server to finish its migrations does not deadlock with its index build', async () => {
  const folder = makeMigrationFolder({
    '9001_i.concurrently.sql':
      'create index concurrently if not exists features_probe_idx on features (stale, name)',
  });
  await client.query('begin; lock table features in row exclusive mode');
  const first = migrate(url, { folder });
  const watcher = await connect();
  const isBuilding = async () =>
    (
      await watcher.query(
        "select from pg_stat_activity where query like 'create index concurrently%' and datname = current_database() and pid <> pg_backend_pid()",
      )
    ).rowCount;
  await expect.poll(isBuilding).toBe(1);
  let isWaiting = false;
  const second = migrate(url, { folder, onWaiting: () => (isWaiting = true) });
  await expect.poll(() => isWaiting).toBe(true);
  await watcher.end();

  await client.query('commit');

  expect(await Promise.all([first, second])).toEqual([['9001_i.concurrently'], []]);
});

test('repeats a statement until it changes no more rows', async () => {
  await client.query(`
    insert into features (name, project, type) select 'f' || n, 'default', 'release' from generate_series(1, 5) as n`);
  const folder = makeMigrationFolder({
    '9001_fill.concurrently.sql': `update features set description = 'filled'
      where name in (select name from features where description is null limit 2)`,
  });

  await migrate(url, { folder });

  const { rows } = await client.query(
    'select count(*)::integer as filled from features where description is not null',
  );
  expect(rows).toEqual([{ filled: 5 }]);
});

test("rejects a database with another application's tables, and creates nothing in it", async () => {
  const otherName = `${name}_other`;
  await createDatabase(otherName);
  const otherClient = new pg.Client({ connectionString: getDatabaseUrl(otherName) });
  await otherClient.connect();
  await otherClient.query('create table orders (id integer)');

  await expect(migrate(getDatabaseUrl(otherName))).rejects.toThrow(
    `Database "${otherName}" is not empty and was not created by Halyard: it has other tables, such as "orders".`,
  );

  const { rows } = await otherClient.query(
    "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  expect(rows).toEqual([{ name: 'orders' }]);
  await otherClient.end();
  await dropDatabase(otherName);
});
