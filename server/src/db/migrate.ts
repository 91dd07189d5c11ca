import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Db } from './database.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const LOCK = 1_214_344_282;

type MigrationFile = { name: string; text: string; checksum: string };

/** Brings the database up to date. Several servers may call it at once: one works, the others wait. */
export async function migrate(db: Db): Promise<string[]> {
  const files = await readMigrations();
  return await db.connection().execute(async connection => {
    await sql`set lock_timeout = '60s'`.execute(connection);
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`select pg_advisory_lock(${LOCK})`.execute(connection);
    try {
      const applied = await appliedChecksums(connection);
      refuseChangedFiles(applied, files);
      // Also when the database is ahead: in a rolling deploy the old version still restarts on the new schema.
      if (files.every(file => applied.has(file.name))) return [];
      return await runPending(connection, files);
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
      await sql`reset lock_timeout`.execute(connection);
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

/** Names of the migrations this version brings that the database does not have yet. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const files = await readMigrations();
  const applied = await appliedChecksums(db);
  return files.filter(file => !applied.has(file.name)).map(file => file.name);
}

async function readMigrations(): Promise<MigrationFile[]> {
  const names = (await readdir(FOLDER)).filter(name => name.endsWith('.sql')).toSorted();
  return await Promise.all(
    names.map(async fileName => {
      const text = await readFile(new URL(fileName, FOLDER), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name: fileName.replace(/\.sql$/, ''), text, checksum };
    }),
  );
}

async function appliedChecksums(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ present: boolean }>`
    select to_regclass('migration_checksums') is not null as present`.execute(db);
  if (!rows[0]?.present) return new Map();
  const applied = await sql<{ name: string; checksum: string }>`
    select name, checksum from migration_checksums`.execute(db);
  return new Map(applied.rows.map(row => [row.name, row.checksum]));
}

function refuseChangedFiles(applied: Map<string, string>, files: MigrationFile[]): void {
  const edited = files.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited) throw new Error(`Migration ${edited.name} was edited after it was applied.`);
}

async function runPending(db: Db, files: MigrationFile[]): Promise<string[]> {
  await sql`create table if not exists migration_checksums (name text primary key, checksum text not null)`.execute(
    db,
  );
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => Object.fromEntries(files.map(file => [file.name, asMigration(file)])),
    },
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(result => result.migrationName);
}

function asMigration({ name, text, checksum }: MigrationFile): Migration {
  return {
    // biome-ignore lint/suspicious/noExplicitAny: Kysely's own type; a migration knows no tables yet
    async up(tx: Kysely<any>) {
      // Better to fail and be tried again than to queue every request behind a table lock.
      await sql`set local lock_timeout = '5s'`.execute(tx);
      await sql.raw(text).execute(tx);
      await sql`insert into migration_checksums (name, checksum) values (${name}, ${checksum})`.execute(tx);
    },
  };
}
