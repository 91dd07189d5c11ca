import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, dropDatabase, urlOf } from '../test/database.ts';
import { type Db, openDb } from './database.ts';
import { migrate, pendingMigrations } from './migrate.ts';

const name = `halyard_migrate_${randomBytes(4).toString('hex')}`;
const open = (): Db => openDb({ url: urlOf(name), poolSize: 2, onError: () => {} });
let db: Db;

beforeAll(async () => {
  await createDatabase(name);
  db = open();
});
afterAll(async () => {
  await db.destroy();
  await dropDatabase(name);
});

test('several migrators at once: one applies all, the others find nothing to do', async () => {
  const others = [open(), open(), open()];
  expect(await pendingMigrations(db)).toContain('0001_projects');

  const applied = await Promise.all([db, ...others].map(migrate));
  await Promise.all(others.map(other => other.destroy()));

  expect(applied.filter(names => names.length > 0)).toHaveLength(1);
  expect(await pendingMigrations(db)).toEqual([]);
  expect(await migrate(db)).toEqual([]);
});

test('a migration that was edited after it was applied is refused', async () => {
  const { rows } = await sql<{ checksum: string }>`
    update migration_checksums set checksum = 'x' where name = '0001_projects'
    returning (select checksum from migration_checksums where name = '0001_projects')`.execute(db);

  await expect(migrate(db)).rejects.toThrow('Migration 0001_projects was edited after it was applied');
  await sql`update migration_checksums set checksum = ${rows[0]?.checksum} where name = '0001_projects'`.execute(
    db,
  );
  expect(await migrate(db)).toEqual([]);
});

test('a version older than the database starts on it, and does not go back', async () => {
  await sql`insert into migration_checksums (name, checksum) values ('9999_future', 'x')`.execute(db);
  await sql`insert into kysely_migration (name, timestamp) values ('9999_future', 'x')`.execute(db);

  expect(await migrate(db)).toEqual([]);
  expect(await pendingMigrations(db)).toEqual([]);
});

test('a version that is behind and ahead at once is refused', async () => {
  await sql`delete from migration_checksums where name = '0004_jobs'`.execute(db);
  await sql`delete from kysely_migration where name = '0004_jobs'`.execute(db);

  await expect(migrate(db)).rejects.toThrow('9999_future is missing');
});
