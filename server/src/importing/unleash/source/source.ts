import pg from 'pg';
import { boundedConnection } from '../../../platform/db/database.ts';
import { SourceError } from '../../reading/source-error.ts';
import { printable } from '../report.ts';

/** An Unleash database, read as one read-only snapshot. */
export type Source = {
  client: pg.Client;
  /** The columns of each table. Versions differ, so they are read first. */
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** The kinds that the source shows. Undefined: all. */
  kinds?: ReadonlySet<string>;
  /** The kinds that the source may show only in part, so that missing items do not count as deleted. */
  keeps?: ReadonlySet<string>;
  /** What the source does not show, in words. */
  notes?: readonly string[];
};

/** A source that is a database of Unleash, which can be opened again after an outage. */
export type DatabaseSource = Source & { reopen: () => Promise<DatabaseSource> };

export type SourceRow = Record<string, unknown>;

/** What to read from a table. Columns that this version does not have are null. */
export type Reading = {
  table: string;
  columns: readonly string[];
  orderBy: string;
  where?: { sql: string; values: unknown[] };
  batch?: number;
};

/** How many Unleash rows a batch reads. A row is rarely larger than 100 kB, so a batch is a few megabytes at most. */
const BATCH = 100;
const STATEMENT_TIMEOUT_MS = 600_000;
/** Tables that every version since 4 has. Without them, the database is not Unleash's. */
const EXPECTED = [
  'features',
  'feature_strategies',
  'feature_strategy_segment',
  'role_user',
  'events',
  'api_tokens',
];

/** Opens one read-only snapshot, so that everything that is read is consistent. */
export async function openSource(url: string): Promise<DatabaseSource> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({
      ...boundedConnection(url, 'import', STATEMENT_TIMEOUT_MS),
      options: `-c default_transaction_read_only=on -c statement_timeout=${STATEMENT_TIMEOUT_MS} -c timezone=UTC`,
    });
    client.on('error', () => {});
    await client.connect();
    const columns = await beginSnapshot(client);
    return { client, columns, reopen: () => openSource(url) };
  } catch (error) {
    await client?.end().catch(() => {});
    throw explained(error);
  }
}

async function beginSnapshot(client: pg.Client): Promise<Map<string, Set<string>>> {
  await client.query('begin transaction isolation level repeatable read, read only');
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    // Not from information_schema, which leaves out what the role cannot read, as if this version did not have it.
    `select relname as table_name, attname as column_name
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped`,
  );
  const columns = new Map<string, Set<string>>();
  for (const { table_name, column_name } of rows)
    columns.set(table_name, (columns.get(table_name) ?? new Set()).add(column_name));
  const missing = EXPECTED.filter(table => !columns.has(table));
  if (missing.length > 0)
    throw new SourceError(`This is not an Unleash database: it has no table ${missing.join(', ')}.`);
  return columns;
}

/** Ends the snapshot and begins a new one, which sees what was written since. */
export async function renewSource(source: Source): Promise<Source> {
  try {
    await source.client.query('rollback');
    return { ...source, columns: await beginSnapshot(source.client) };
  } catch (error) {
    throw explained(error);
  }
}

const MISSING_PERMISSION = '42501';
/** The messages of the driver for a statement that was running, and for one that comes later. */
const CLOSED = /^Connection terminated|not queryable$/;

/** Explains the error without the URL, which contains a password. */
function explained(error: unknown): Error {
  if (error instanceof SourceError) return error;
  const { message: given, code } = error as pg.DatabaseError;
  const message = CLOSED.test(given) ? 'the connection was closed' : given;
  const hint =
    code === MISSING_PERMISSION
      ? '. Grant the role pg_read_all_data, or select on all tables of Unleash'
      : '';
  return new SourceError(`Cannot read the Unleash database: ${printable(message)}${hint}.`, { cause: error });
}

/** Runs a statement in the snapshot. */
export async function query<Row extends pg.QueryResultRow>(
  { client }: Source,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return (await client.query<Row>(text, values)).rows;
  } catch (error) {
    throw explained(error);
  }
}

export async function closeSource({ client }: Source): Promise<void> {
  await client.query('rollback').catch(() => {});
  await client.end().catch(() => {});
}

export const hasTable = (source: Source, table: string): boolean => source.columns.has(table);

export async function countRows(source: Source, table: string): Promise<number> {
  if (!hasTable(source, table)) return 0;
  const [row] = await query<{ count: number }>(
    source,
    `select count(*)::integer as count from ${quote(table)}`,
  );
  return row?.count ?? 0;
}

let cursors = 0;

/** Reads a table in batches through a cursor. A table that this version does not have has no rows. */
export async function* readBatches(source: Source, reading: Reading): AsyncGenerator<SourceRow[]> {
  if (!hasTable(source, reading.table)) return;
  const { table, where, batch = BATCH } = reading;
  yield* fetchBatches(source, table, selectOf(source, reading), where?.values ?? [], batch);
}

/** Reads the result of a statement in batches. */
export async function* readSelect(source: Source, select: string): AsyncGenerator<SourceRow[]> {
  const rows = `select row_to_json(picked) as row from (${select}) as picked`;
  yield* fetchBatches(source, 'a statement', rows, [], BATCH);
}

async function* fetchBatches(
  source: Source,
  name: string,
  select: string,
  values: unknown[],
  batch: number,
): AsyncGenerator<SourceRow[]> {
  const cursor = `import_${++cursors}`;
  await query(source, `declare ${cursor} no scroll cursor for ${select}`, values);
  try {
    for (;;) {
      const rows = await query<{ row: SourceRow }>(source, `fetch ${batch} from ${cursor}`);
      if (rows.length === 0) return;
      yield rows.map(({ row }) => checked(row, name));
    }
  } finally {
    await source.client.query(`close ${cursor}`).catch(() => {});
  }
}

/** Reads the rows that match. Used for small tables and for the rows of a batch. */
export async function readRows(source: Source, reading: Reading): Promise<SourceRow[]> {
  if (!hasTable(source, reading.table)) return [];
  const rows = await query<{ row: SourceRow }>(source, selectOf(source, reading), reading.where?.values);
  return rows.map(({ row }) => checked(row, reading.table));
}

/** Far more levels than Unleash writes, and far fewer than recursive functions can handle. */
const MAX_LEVELS = 100;

function checked(row: SourceRow, where: string): SourceRow {
  let level: unknown[] = [row];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS)
      throw new SourceError(
        printable(
          `Cannot read the Unleash database: a value of ${where} is nested more than ${MAX_LEVELS} levels deep, in the row that begins with ${JSON.stringify(Object.values(row)[0])}.`,
        ),
      );
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return row;
}

/** As JSON, because column types differ between versions too: a list can be json, jsonb or text. */
function selectOf(source: Source, { table, columns, orderBy, where }: Reading): string {
  const existing = source.columns.get(table) ?? new Set();
  const list = columns.map(name => (existing.has(name) ? quote(name) : `null as ${quote(name)}`)).join(', ');
  const filter = where === undefined ? '' : `where ${where.sql}`;
  return `select row_to_json(picked) as row from (
    select ${list} from ${quote(table)} ${filter} order by ${orderBy}) as picked`;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The time as the API writes it. Some columns have no time zone, but Unleash writes UTC to them. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const withZone = /([+-]\d\d(:?\d\d)?|Z)$/.test(value) ? value : `${value}Z`;
  const date = new Date(withZone.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * When a token expires: null for never, undefined if that cannot be determined. A token must not be valid longer in Halyard than
 * in Unleash.
 */
export const expiryOf = (value: unknown): string | null | undefined =>
  value === null || value === undefined || value === 'infinity' ? null : (timeOf(value) ?? undefined);

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);
export const optionalText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

/** A list that is stored as JSON or as a string of JSON. */
export function listOf(value: unknown): unknown[] {
  const parsed = typeof value === 'string' ? parseOrNull(value) : value;
  return Array.isArray(parsed) ? parsed : [];
}

export function objectOf(value: unknown): Record<string, unknown> {
  const parsed = typeof value === 'string' ? parseOrNull(value) : value;
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : {};
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
