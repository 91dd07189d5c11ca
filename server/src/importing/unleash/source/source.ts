import pg from 'pg';
import { boundedConnection } from '../../../platform/db/database.ts';
import { SourceError } from '../../reading/source-error.ts';
import { makePrintable } from '../report.ts';

/** Unleash's tables: its database in one read-only snapshot, or temporary tables with what its API returns. */
export type Source = {
  client: pg.Client;
  /** The columns of each table. Versions differ, so they are read first. */
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** The kinds that the source contains. If undefined, it contains all of them. */
  kinds?: ReadonlySet<string>;
  /** The kinds that the source may contain only in part, so that missing items do not count as deleted. */
  partialKinds?: ReadonlySet<string>;
  /** Descriptions of what the source does not contain. */
  notes?: readonly string[];
};

/** A source that is an Unleash database, which can be reopened after an outage. */
export type DatabaseSource = Source & { reopen: () => Promise<DatabaseSource> };

export type SourceRow = Record<string, unknown>;

/** What to read from a table. Columns that this version does not have are null. */
export type TableRead = {
  table: string;
  columns: readonly string[];
  orderBy: string;
  where?: { sql: string; values: unknown[] };
  batchSize?: number;
};

/** The number of rows in a batch. A row is rarely larger than 100 kB, so a batch takes a few megabytes at most. */
const BATCH_ROWS = 100;
const STATEMENT_TIMEOUT_MS = 600_000;
/** Tables that every version since 4 has. Without them, the database is not Unleash's. */
const EXPECTED_TABLES = [
  'features',
  'feature_strategies',
  'feature_strategy_segment',
  'role_user',
  'events',
  'api_tokens',
];

/** Opens one read-only snapshot, so that all reads are consistent. */
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
    throw explainError(error);
  }
}

async function beginSnapshot(client: pg.Client): Promise<Map<string, Set<string>>> {
  await client.query('begin transaction isolation level repeatable read, read only');
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    // Reads pg_attribute, because information_schema omits what the role cannot read, as if this version did not have it.
    `select relname as table_name, attname as column_name
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped`,
  );
  const columns = new Map<string, Set<string>>();
  for (const { table_name, column_name } of rows)
    columns.set(table_name, (columns.get(table_name) ?? new Set()).add(column_name));
  const missingTables = EXPECTED_TABLES.filter(table => !columns.has(table));
  if (missingTables.length > 0)
    throw new SourceError(
      `--from is not the database of an Unleash server: it has no table ${missingTables.join(', ')}. Check the database name in --from. If Unleash uses a schema other than public, set it as the search_path of the role.`,
    );
  return columns;
}

/** Ends the snapshot and begins a new one, which sees what has been written in the meantime. */
export async function renewSnapshot(source: Source): Promise<Source> {
  try {
    await source.client.query('rollback');
    return { ...source, columns: await beginSnapshot(source.client) };
  } catch (error) {
    throw explainError(error);
  }
}

/** The driver's messages for a statement that was running when the connection broke, and for any later statement. */
const CLOSED_MESSAGE = /^Connection terminated|not queryable$/;
const CHECK_ADDRESS = 'Check the host and the port in --from, and that PostgreSQL is running there';
const CHECK_RUNNING =
  'Check that its PostgreSQL server is running. Repeat the import to continue with what is missing';
const CHECK_LOGIN = "Check the user and the password in --from, and that server's pg_hba.conf";

/** What to do, by error code. */
const REMEDIES: Record<string, string> = {
  '42501': 'Grant the role pg_read_all_data, or select on all Unleash tables',
  '28P01': 'Check the user and the password in --from',
  '28000': CHECK_LOGIN,
  '57P01': CHECK_RUNNING,
  '57P02': CHECK_RUNNING,
  '57P03': CHECK_RUNNING,
  '3D000': 'Check the database name in --from',
  ECONNREFUSED: CHECK_ADDRESS,
  ETIMEDOUT: CHECK_ADDRESS,
  EHOSTUNREACH: CHECK_ADDRESS,
  ENETUNREACH: CHECK_ADDRESS,
  ENOTFOUND: 'Check the host in --from',
  EAI_AGAIN: 'Check the host in --from',
  ERR_INVALID_URL: 'Encode special characters in the password, for example @ as %40',
};

/** What to do, for errors without a code. */
const REMEDIES_BY_MESSAGE: [RegExp, string][] = [
  [/timeout expired/, CHECK_ADDRESS],
  [/password must be a/, 'Add the password to --from'],
  [/does not support SSL/, 'Remove sslmode from --from'],
  [CLOSED_MESSAGE, CHECK_RUNNING],
];

/** Explains the error without the URL, which contains a password. */
function explainError(error: unknown): Error {
  if (error instanceof SourceError) return error;
  // A host name with several IP addresses has one error for each.
  const [firstError] = error instanceof AggregateError ? error.errors : [error];
  const { message, code = '' } = firstError as pg.DatabaseError;
  const reason = CLOSED_MESSAGE.test(message) ? 'the connection was closed' : makePrintable(message);
  const remedy = REMEDIES[code] ?? REMEDIES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  const hint = remedy === undefined ? '' : ` ${remedy}.`;
  return new SourceError(`Cannot read the Unleash database: ${reason}.${hint}`, { cause: firstError });
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
    throw explainError(error);
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

let cursorCount = 0;

/** Reads a table in batches through a cursor. A table that this version does not have has no rows. */
export async function* readBatches(source: Source, tableRead: TableRead): AsyncGenerator<SourceRow[]> {
  if (!hasTable(source, tableRead.table)) return;
  const { table, where, batchSize = BATCH_ROWS } = tableRead;
  yield* fetchBatches(source, table, buildSelect(source, tableRead), where?.values ?? [], batchSize);
}

/** Reads the result of a statement in batches. */
export async function* readSelectInBatches(source: Source, select: string): AsyncGenerator<SourceRow[]> {
  const rows = `select row_to_json(picked) as row from (${select}) as picked`;
  yield* fetchBatches(source, 'a statement', rows, [], BATCH_ROWS);
}

async function* fetchBatches(
  source: Source,
  name: string,
  select: string,
  values: unknown[],
  batchSize: number,
): AsyncGenerator<SourceRow[]> {
  const cursor = `import_${++cursorCount}`;
  await query(source, `declare ${cursor} no scroll cursor for ${select}`, values);
  try {
    for (;;) {
      const rows = await query<{ row: SourceRow }>(source, `fetch ${batchSize} from ${cursor}`);
      if (rows.length === 0) return;
      yield rows.map(({ row }) => checkNesting(row, name));
    }
  } finally {
    await source.client.query(`close ${cursor}`).catch(() => {});
  }
}

/** Reads all matching rows without a cursor. Used for small tables and for the rows of a batch. */
export async function readRows(source: Source, tableRead: TableRead): Promise<SourceRow[]> {
  if (!hasTable(source, tableRead.table)) return [];
  const rows = await query<{ row: SourceRow }>(
    source,
    buildSelect(source, tableRead),
    tableRead.where?.values,
  );
  return rows.map(({ row }) => checkNesting(row, tableRead.table));
}

/** Far more levels than Unleash writes, but far fewer than recursive functions can handle. */
const MAX_LEVELS = 100;

function checkNesting(row: SourceRow, name: string): SourceRow {
  let level: unknown[] = [row];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS)
      throw new SourceError(
        makePrintable(
          `Cannot read the Unleash database: a value of ${name} is nested more than ${MAX_LEVELS} levels deep, in the row that begins with ${JSON.stringify(Object.values(row)[0])}.`,
        ),
      );
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return row;
}

/** Selects columns as JSON, because column types differ between versions, and a list can be json, jsonb or text. */
function buildSelect(source: Source, { table, columns, orderBy, where }: TableRead): string {
  const tableColumns = source.columns.get(table) ?? new Set();
  const list = columns
    .map(name => (tableColumns.has(name) ? quote(name) : `null as ${quote(name)}`))
    .join(', ');
  const filter = where === undefined ? '' : `where ${where.sql}`;
  return `select row_to_json(picked) as row from (
    select ${list} from ${quote(table)} ${filter} order by ${orderBy}) as picked`;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the time in the API's format. Columns without a time zone contain UTC. */
export function parseTime(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const timeWithZone = /([+-]\d\d(:?\d\d)?|Z)$/.test(value) ? value : `${value}Z`;
  const date = new Date(timeWithZone.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * Returns when a token expires. The result is null for never, and undefined if the time cannot be determined, because a token must
 * not be valid longer in Halyard than in Unleash.
 */
export const parseExpiry = (value: unknown): string | null | undefined =>
  value === null || value === undefined || value === 'infinity' ? null : (parseTime(value) ?? undefined);

export const toText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);
export const optionalText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

/** Parses a list that is stored as JSON or as a JSON string. */
export function parseList(value: unknown): unknown[] {
  const list = typeof value === 'string' ? parseOrNull(value) : value;
  return Array.isArray(list) ? list : [];
}

export function parseObject(value: unknown): Record<string, unknown> {
  const parsedValue = typeof value === 'string' ? parseOrNull(value) : value;
  return typeof parsedValue === 'object' && parsedValue !== null && !Array.isArray(parsedValue)
    ? (parsedValue as Record<string, unknown>)
    : {};
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
