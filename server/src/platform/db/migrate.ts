import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { howToRun } from '../files.ts';
import { createIndex, parseCreateIndex, type Runners } from './concurrent-index.ts';
import { boundedConnection, MIGRATION_TIMEOUT_MS, type Reader } from './database.ts';
import { isLockFailure, MigrationError, type OpenTransaction, toMigrationError } from './migration-error.ts';
import { listOwnMigrations, MIGRATIONS, type MigrationFile, readMigrations } from './migration-files.ts';
import { rejectOldPostgres } from './postgres-version.ts';
import { type SqlStatement, splitStatements } from './sql-statements.ts';

const LOCK_KEY = 1_214_344_282;
const POLL_MS = 250;
const WAIT_FOR_OTHERS_MS = 10 * 60_000;

/** Requests queue behind a migration that waits for a lock on their table, so a migration waits briefly and retries. */
const LOCK_TIMEOUT_MS = 100;
const VACUUM_TIMEOUT_MS = 5_000;
const RETRY_WITHIN_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;

export type MigrateOptions = {
  folder?: URL;
  /** How long a migration tries to get its locks. */
  retryWithinMs?: number;
  onApplied?: (migration: { name: string; ms: number; retries: number }) => void;
  onWaiting?: () => void;
};

/**
 * Brings the database up to date and returns the names of the applied migrations. Several servers may call this function at the
 * same time, in which case one of them migrates and the others wait. It uses a separate connection, because an index can take
 * longer than any request may.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const files = await readMigrations(options.folder ?? MIGRATIONS);
  return await withClient(databaseUrl, async client => {
    await lockMigrations(client, options.onWaiting);
    return await applyPending(client, files, options);
  });
}

/** Connects to the database once. It throws what `migrate` would throw if the database cannot be used. */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async () => {});
}

/** Throws unless the database has all tables and columns of this version. */
export async function requireMigrated(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async client => {
    const { rows } = await client.query<{ database: string; is_ours: boolean }>(
      `select current_database() as database, to_regclass('migration_checksums') is not null as is_ours`,
    );
    const [{ database, is_ours: isOurs } = { database: '', is_ours: false }] = rows;
    if (!isOurs)
      throw new MigrationError(
        `Database "${database}" does not have Halyard's tables. Check DATABASE_URL, and run ${howToRun('migrate')} first.`,
      );
    const appliedMigrations = await readApplied(client);
    const pendingMigrations = (await listOwnMigrations()).filter(name => !appliedMigrations.has(name));
    if (pendingMigrations.length > 0)
      throw new MigrationError(
        `Database "${database}" is not fully migrated to this version of Halyard. Wait if a server is migrating it. Otherwise, run ${howToRun('migrate')} first.`,
      );
  });
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...boundedConnection(databaseUrl, 'migration', MIGRATION_TIMEOUT_MS),
    options: '-c timezone=UTC -c jit=off -c statement_timeout=0 -c lock_timeout=0',
  });
  // The running statement rejects too, but without this listener the process would exit.
  client.on('error', () => {});
  await client.connect();
  try {
    await rejectOldPostgres(client);
    return await work(client);
  } finally {
    // This ends the session, which releases the lock.
    await client.end().catch(() => {});
  }
}

/** Returns the names of the migrations that this version has and the database lacks. */
export async function listPendingMigrations(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migration_checksums`.execute(db);
  const appliedMigrations = new Set(rows.map(row => row.name));
  return (await listOwnMigrations()).filter(name => !appliedMigrations.has(name));
}

/**
 * Takes the lock that keeps other servers from migrating. It polls, because a session that waited inside a statement would hold a
 * snapshot, which blocks a concurrent index build.
 */
async function lockMigrations(client: pg.Client, onWaiting?: () => void): Promise<void> {
  const deadline = Date.now() + WAIT_FOR_OTHERS_MS;
  for (let n = 0; ; n++) {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      LOCK_KEY,
    ]);
    if (rows[0]?.got) return;
    if (n === 0) onWaiting?.();
    if (Date.now() > deadline) {
      throw new MigrationError(
        'Another server has been migrating the database for more than 10 minutes. Wait until it has finished, then start ' +
          `again. Its session holds the advisory lock ${LOCK_KEY} (see pg_locks and pg_stat_activity).`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function applyPending(
  client: pg.Client,
  files: MigrationFile[],
  options: MigrateOptions,
): Promise<string[]> {
  const appliedMigrations = await readApplied(client);
  const pendingMigrations = files.filter(file => !appliedMigrations.has(file.name));
  rejectDifferentHistory(appliedMigrations, files, pendingMigrations);
  for (const file of pendingMigrations) {
    const start = Date.now();
    const retries = await applyFile(client, file, options.retryWithinMs ?? RETRY_WITHIN_MS);
    options.onApplied?.({ name: file.name, ms: Date.now() - start, retries });
  }
  return pendingMigrations.map(file => file.name);
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  // The table is looked up first, so that a role without the privilege to create tables can start on a database that is up to date.
  const { rows: tables } = await client.query(`select where to_regclass('migration_checksums') is not null`);
  if (tables.length === 0) {
    await rejectForeignTables(client);
    await client.query(
      `create table if not exists migration_checksums (
        name text primary key, checksum text not null, applied_at timestamptz not null default now()
      )`,
    );
  }
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration_checksums order by name',
  );
  return new Map(rows.map(row => [row.name, row.checksum]));
}

/** Throws before anything is created if the database belongs to a different application. Extension tables do not count. */
async function rejectForeignTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ database: string; name: string | null; count: number }>(
    `select current_database() as database, min(relname) as name, count(*)::integer as count
     from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`,
  );
  const [summary] = rows;
  if (!summary || summary.count === 0) return;
  throw new MigrationError(
    `Database "${summary.database}" is not empty and was not created by Halyard: it has other tables, such as "${summary.name}". ` +
      'Nothing was changed. Create a separate database for Halyard (createdb halyard), and set DATABASE_URL to it.',
  );
}

/**
 * Throws unless the applied migrations are the first migrations of this version. A database that is only ahead is accepted, because
 * in a rolling deploy, the old version restarts on the new schema.
 */
function rejectDifferentHistory(
  appliedMigrations: Map<string, string>,
  files: MigrationFile[],
  pendingMigrations: MigrationFile[],
): void {
  const knownNames = new Set(files.map(file => file.name));
  const unknownNames = [...appliedMigrations.keys()].filter(name => !knownNames.has(name));
  const lastApplied = files.findLast(file => appliedMigrations.has(file.name))?.name ?? '';
  const skippedMigration = pendingMigrations.find(file => file.name < lastApplied);
  if (pendingMigrations.length > 0 && (unknownNames.length > 0 || skippedMigration)) {
    throw new MigrationError(
      `This database cannot be upgraded: its migrations differ from those of this version. ` +
        `${unknownNames.length > 0 ? `It has ${unknownNames.join(', ')}, unknown to this version` : `It has ${lastApplied}`}, ` +
        `and lacks ${(skippedMigration ?? pendingMigrations[0])?.name}. An unreleased or different version created it. ` +
        'Start that version, or create a new database.',
    );
  }
  const editedFile = files.find(({ name, checksum, replacedChecksums }) => {
    const appliedChecksum = appliedMigrations.get(name);
    return appliedChecksum !== undefined && ![checksum, ...replacedChecksums].includes(appliedChecksum);
  });
  if (editedFile) {
    throw new MigrationError(
      `Migration ${editedFile.name} was edited after it was applied to this database. Restore the file and put the change ` +
        'into a new migration. If the file belongs to an unreleased version, create a new database.',
    );
  }
}

/** Applies a migration. Returns how many retries it took to get its locks. */
async function applyFile(client: pg.Client, file: MigrationFile, retryWithinMs: number): Promise<number> {
  const run = file.concurrent ? applyConcurrently : applyInTransaction;
  try {
    return await run(client, file, retryWithinMs);
  } catch (error) {
    if (!(error instanceof MigrationError) || !isLockFailure(error)) throw error;
    throw error.addOpenTransactions(await listOpenTransactions(client));
  }
}

async function applyInTransaction(
  client: pg.Client,
  file: MigrationFile,
  retryWithinMs: number,
): Promise<number> {
  const statements = splitStatements(file.text);
  return await withRetries(retryWithinMs, async () => {
    await client.query('begin');
    try {
      const forEach = async (work: (statement: SqlStatement) => Promise<unknown>) => {
        for (const statement of statements) {
          await work(statement).catch(error => {
            throw toMigrationError(file, statement, error);
          });
        }
      };
      await client.query(`set local lock_timeout = ${VACUUM_TIMEOUT_MS}`);
      await forEach(statement => keepVacuumAway(client, statement));
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await forEach(statement => client.query(statement.text));
      await insertApplied(client, file);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

/**
 * Takes a lock that keeps autovacuum away, because an autovacuum gives way only to a session that has waited for 1 s
 * (deadlock_timeout), longer than a statement of a migration may wait. The lock conflicts with a vacuum but not with reads and
 * writes, so nobody queues behind it.
 */
async function keepVacuumAway(client: pg.Client, { bareText }: SqlStatement): Promise<void> {
  const table = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(bareText)?.[1];
  if (table === undefined) return;
  const { rows } = await client.query('select where to_regclass($1) is not null', [table]);
  if (rows.length > 0) await client.query(`lock table ${table} in share update exclusive mode`);
}

async function applyConcurrently(
  client: pg.Client,
  file: MigrationFile,
  retryWithinMs: number,
): Promise<number> {
  let retries = 0;
  const attempt = (lockTimeoutMs: number) => async (text: string) => {
    retries += await withRetries(retryWithinMs, async () => {
      await client.query(`set lock_timeout = ${lockTimeoutMs}`);
      await runUntilNothingChanges(client, text);
    });
  };
  const run: Runners = {
    client,
    withLongWait: attempt(retryWithinMs),
    withShortWait: attempt(LOCK_TIMEOUT_MS),
  };
  for (const statement of splitStatements(file.text)) {
    const index = parseCreateIndex(statement.text);
    try {
      if (index) await createIndex(run, index);
      else if (statement.bareText.includes(' concurrently ')) await run.withLongWait(statement.text);
      else await run.withShortWait(statement.text);
    } catch (error) {
      throw toMigrationError(file, statement, error);
    }
  }
  await insertApplied(client, file);
  return retries;
}

/**
 * Runs a statement. If it changes rows, it is repeated until it changes none, which splits a large change into many small
 * transactions.
 */
async function runUntilNothingChanges(client: pg.Client, text: string): Promise<void> {
  for (;;) {
    const { command, rowCount } = await client.query(text);
    if (!['INSERT', 'UPDATE', 'DELETE'].includes(command) || rowCount === 0) return;
  }
}

async function insertApplied(client: pg.Client, { name, checksum }: MigrationFile): Promise<void> {
  await client.query('insert into migration_checksums (name, checksum) values ($1, $2)', [name, checksum]);
}

async function withRetries(withinMs: number, attempt: () => Promise<void>): Promise<number> {
  const deadline = Date.now() + withinMs;
  let pause = FIRST_PAUSE_MS;
  for (let retries = 0; ; retries++) {
    try {
      await attempt();
      return retries;
    } catch (error) {
      if (!isLockFailure(error) || Date.now() + pause > deadline) throw error;
      // The pause is random, so that retries do not run in step with other periodic work on this database.
      await sleep(pause * (0.75 + Math.random() / 2));
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    }
  }
}

async function listOpenTransactions(client: pg.Client): Promise<OpenTransaction[]> {
  const { rows } = await client.query<OpenTransaction>(
    `select pid, coalesce(state, backend_type) as state, extract(epoch from now() - xact_start)::integer as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 3`,
  );
  return rows;
}
