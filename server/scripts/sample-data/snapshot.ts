import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { resealSecrets } from '../../src/delivery/integrations/reseal.ts';
import { DELIVERY_QUEUE } from '../../src/delivery/outbox.ts';
import { openDb } from '../../src/platform/db/database.ts';
import { listOwnMigrations } from '../../src/platform/db/migration-files.ts';
import { locate } from '../../src/platform/files.ts';
import { hashPassword } from '../../src/platform/secrets/password-hash.ts';
import { makeKeyring } from '../../src/platform/secrets/seal.ts';
import { writeUsage } from './usage.ts';

/**
 * The first line of the file. The file contains the sample data as rows, because loading rows takes 0.3 s of CPU time, but creating
 * the data through the API takes 5 s. Two lines per table follow: one with its name and columns, and one with its rows.
 */
type Header = {
  /** The sample data ends at this time. */
  takenAt: string;
  /** The rows match the schema after all migrations up to this one. */
  newestMigration: string;
  /** The last value of each sequence that was used. */
  sequences: Record<string, string>;
};
type Table = { table: string; columns: string[] };

/** Encrypts the integrations' secrets in the file. The key is public, so each demo encrypts the secrets again with its own key. */
export const SNAPSHOT_KEY = createHash('sha256').update('the demo story of Halyard').digest();

/** Tables with data from logins and requests, which the sample data does not need. */
const UNUSED_TABLES = ['sessions', 'login_failures', 'login_places', 'idempotency_keys', 'idempotency_usage'];
/** Tables that `writeUsage` fills when the data is loaded, with times relative to that moment. */
const USAGE_TABLES = [
  'metric_hours',
  'metric_days',
  'metric_features',
  'metric_environments',
  'metric_batches',
  'application_features',
  'feature_last_seen',
  'unknown_flags',
];
const OMITTED_TABLES = [...UNUSED_TABLES, ...USAGE_TABLES];
const ADMIN = 'ada';
/** The next attempts of failing deliveries. */
const JOBS = { table: 'pgboss.job', where: `state = 'created' and name = '${DELIVERY_QUEUE}'` };

const findNewestMigration = async (): Promise<string> => (await listOwnMigrations()).at(-1) ?? '';

/** Writes the sample data from a database to the file, without passwords. Its secrets must be encrypted with `SNAPSHOT_KEY`. */
export async function saveSnapshot(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async client => {
    const { rows } = await client.query<{ now: string }>('select now()::text as now');
    const header: Header = {
      takenAt: rows[0]?.now ?? '',
      newestMigration: await findNewestMigration(),
      sequences: await readSequences(client),
    };
    const lines = [JSON.stringify(header)];
    for (const { table, columns } of await listTables(client)) {
      const where = table === JOBS.table ? `where ${JOBS.where}` : '';
      const result = await client.query<{ rows: string | null }>(
        `select jsonb_agg(to_jsonb(t) - 'password_hash')::text as rows from (select ${columns.join(', ')} from ${table} ${where}) t`,
      );
      const text = result.rows[0]?.rows;
      if (text) lines.push(JSON.stringify({ table, columns } satisfies Table), text);
    }
    await writeFile(locate('sampleData'), `${lines.join('\n')}\n`);
  });
}

/**
 * Loads the sample data into a new, fully migrated database, shifted so that it ends now, and encrypts its secrets with the key.
 * Returns the username of the admin, who gets the password, or undefined if the file was made for different migrations.
 */
export async function loadSnapshot(
  databaseUrl: string,
  { password, secretKey }: { password: string; secretKey: Buffer },
): Promise<string | undefined> {
  const [headerLine = '{}', ...lines] = (await readFile(locate('sampleData'), 'utf8')).trimEnd().split('\n');
  const header = JSON.parse(headerLine) as Header;
  if (header.newestMigration !== (await findNewestMigration())) return undefined;
  await withClient(databaseUrl, async client => {
    await client.query('begin');
    // Disables triggers, because the rows are complete and a trigger would reject changes to events.
    await client.query('set local session_replication_role = replica');
    const times = await listTimes(client);
    for (let index = 0; index < lines.length; index += 2) {
      const { table, columns } = JSON.parse(lines[index] ?? '') as Table;
      const values = columns.map(column =>
        times.has(`${table}.${column}`) ? `${column} + (now() - $2::timestamptz)` : column,
      );
      await client.query(`delete from ${table}`);
      await client.query(
        `insert into ${table} (${columns.join(', ')}) overriding system value
          select ${values.join(', ')} from jsonb_populate_recordset(null::${table}, $1), (select $2::timestamptz) as taken`,
        [lines[index + 1], header.takenAt],
      );
    }
    await client.query('update users set password_hash = $1 where username = $2', [
      await hashPassword(password),
      ADMIN,
    ]);
    for (const [name, lastValue] of Object.entries(header.sequences))
      await client.query('select setval($1::regclass, $2)', [name, lastValue]);
    await client.query('commit');
    await client.query('analyze');
  });
  const db = openDb({ url: databaseUrl, poolSize: 1, onError: () => {} });
  try {
    await writeUsage(db);
    await resealSecrets(db, makeKeyring(secretKey, [SNAPSHOT_KEY]));
  } finally {
    await db.destroy();
  }
  return ADMIN;
}

const COLUMNS = `
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where not c.relispartition and c.relkind in ('r', 'p') and (c.oid = '${JOBS.table}'::regclass or
    c.relnamespace = 'public'::regnamespace and c.relname not like '%migration%' and c.relname <> all('{${OMITTED_TABLES}}'))`;

async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.oid::regclass::text as table, array_agg(quote_ident(a.attname) order by a.attnum) as columns
    ${COLUMNS} group by c.oid order by 1`);
  return rows;
}

async function listTimes(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(`
    select c.oid::regclass || '.' || quote_ident(a.attname) as name ${COLUMNS} and a.atttypid = 'timestamptz'::regtype`);
  return new Set(rows.map(({ name }) => name));
}

async function readSequences(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = 'public' and last_value is not null order by 1`);
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
