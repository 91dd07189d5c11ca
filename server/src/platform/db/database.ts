import { Kysely, PostgresDialect, type Transaction, type Updateable } from 'kysely';
import pg from 'pg';
import { Client } from './client.ts';
import { withPreparedStatements } from './prepared-statements.ts';
import type { DB } from './tables.gen.ts';

export type Db = Kysely<DB>;

/** The pool or a transaction, for functions that only read. */
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'getExecutor'>;

/** A transaction, for functions that write. */
export type Tx = Transaction<DB>;

/** For `satisfies`: the compiler finds an unknown column only where the object is written, not after a spread. */
export type Columns<Table extends keyof DB> = Updateable<DB[Table]>;

/** The columns of a row that an outer join may not find: then all are null. */
export type OuterJoined<Row> = Row | { [Column in keyof Row]: null };

/** The row of a shape with optional fields: null where the response has no field. */
export type NullForAbsent<Shape> = {
  [Field in keyof Shape]-?: object extends Pick<Shape, Field> ? Shape[Field] | null : Shape[Field];
};

/** PostgreSQL ends a statement after this time. It bounds what one caller can cost the others. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The client gives up a little later: by then PostgreSQL is unreachable, or it would have ended the statement. */
export const QUERY_TIMEOUT_MS = 17_000;
/** Migrations have no statement timeout; this bounds only the wait for a database that is gone. */
export const MIGRATION_TIMEOUT_MS = 6 * 3_600_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

export type PoolSettings = {
  url: string;
  poolSize: number;
  onError: (error: Error) => void;
  /** Whether frequent statements are prepared. Default: true. */
  preparedStatements?: boolean;
  /** How long a query waits for a response from PostgreSQL. */
  queryTimeoutMs?: number;
  /** How long a caller waits for a free connection, or for a new one, until it gets 503. */
  connectTimeoutMs?: number;
  /** How long a statement waits for a lock until its request gets 503. */
  lockTimeoutMs?: number;
  /** Called with the text of every statement, without its values. */
  onQuery?: (sql: string) => void;
  /** Called once, with a function that tells how busy the pool is. */
  onOpen?: (use: () => PoolUse) => void;
};

/** Connections that are checked out, callers that wait for one, and how many connections the pool may have. */
export type PoolUse = { inUse: number; waiting: number; size: number };

export function openDb(settings: PoolSettings): Db {
  const { onQuery, preparedStatements = true } = settings;
  const pool = openPool(settings);
  settings.onOpen?.(() => ({
    inUse: pool.totalCount - pool.idleCount,
    waiting: pool.waitingCount,
    size: settings.poolSize,
  }));
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: preparedStatements ? withPreparedStatements(pool) : pool }),
    ...(onQuery ? { log: event => onQuery(event.query.sql) } : {}),
  });
}

/** How every connection of ours notices that PostgreSQL is gone without a word. */
export const boundedConnection = (url: string, queryTimeoutMs = QUERY_TIMEOUT_MS) => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: queryTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
});

function openPool(settings: PoolSettings): pg.Pool {
  const { url, poolSize, onError } = settings;
  const pool = new pg.Pool({
    ...boundedConnection(url, settings.queryTimeoutMs),
    connectionTimeoutMillis: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    Client,
    max: poolSize,
    // After pg's own 10 s of idling, a request paid 17 ms for a new connection.
    idleTimeoutMillis: 300_000,
    options: [...SESSION_OPTIONS, `-c lock_timeout=${settings.lockTimeoutMs ?? LOCK_TIMEOUT_MS}`].join(' '),
    types: { getTypeParser },
  });
  pool.on('error', onError);
  pool.on('connect', client => {
    // A checked-out client emits its own 'error' when the server dies; without a listener the process ends.
    client.on('error', onError);
    client.on('queryTimeout' as 'error', error => {
      onError(error);
      dropIdle(pool);
    });
  });
  return pool;
}

const SESSION_OPTIONS = [
  '-c timezone=UTC',
  // Compiling a plan cost more than running it in every query we have.
  '-c jit=off',
  // Whole lists are read through cursors to their end, so the first rows must not be made cheap at the cost of the last.
  '-c cursor_tuple_fraction=1',
  `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  // A transaction that stalls half-way lets go of its locks.
  '-c idle_in_transaction_session_timeout=15s',
];

/** When one connection got no response, the idle ones are as old: each would cost a caller the same wait. */
function dropIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left--) {
    pool.connect().then(
      client => client.release(true),
      () => {},
    );
  }
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  if (oid === INT8) return Number;
  if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString();
  return pg.types.getTypeParser(oid, format);
};
