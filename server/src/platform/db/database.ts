import { Kysely, PostgresDialect, type Transaction, type Updateable } from 'kysely';
import pg from 'pg';
import { type Client, makeReportingClient } from './client.ts';
import { usePreparedStatements } from './prepared-statements.ts';
import type { DB } from './tables.gen.ts';

export type Db = Kysely<DB>;

/** The pool or a transaction, for functions that only read. */
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'getExecutor'>;

/** A transaction, for functions that write. */
export type Tx = Transaction<DB>;

/** For `satisfies` on an object literal, because the compiler does not report unknown columns in an object that is spread. */
export type Columns<Table extends keyof DB> = Updateable<DB[Table]>;

/** The columns of a row that an outer join may not find, in which case all of them are null. */
export type OuterJoined<Row> = Row | { [Column in keyof Row]: null };

/** The row for a response with optional fields. Where the response omits a field, the row has null. */
export type WithNulls<Shape> = {
  [Field in keyof Shape]-?: object extends Pick<Shape, Field> ? Shape[Field] | null : Shape[Field];
};

/** PostgreSQL cancels a statement after this time, which limits how long one caller can slow down the others. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The client gives up a little later, because by then PostgreSQL would have canceled the statement if it were reachable. */
export const QUERY_TIMEOUT_MS = 17_000;
/** Migrations have no statement timeout. This timeout bounds only the wait for a database that is unreachable. */
export const MIGRATION_TIMEOUT_MS = 6 * 3_600_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/**
 * During a failover, a new connection can reach a standby. That connection serves reads for this long, and then a new one looks for
 * the primary.
 */
const READ_ONLY_LIFETIME_MS = 1_000;
/** A pool that shrank in favor of a more important one stays smaller for this long. */
const MAKE_ROOM_MS = 30_000;

export type PoolSettings = {
  url: string;
  /** The name of the pool, which follows "halyard" in PostgreSQL's list of connections. */
  name?: string;
  poolSize: number;
  onError: (error: Error) => void;
  /** Called when a read-only connection is opened or released. */
  onReadOnly?: () => void;
  /** Called when PostgreSQL rejects a connection because it has too many. */
  onTooManyConnections?: () => void;
  /** Whether to set timeouts and planner options for each connection. Not every pooler passes them on. The default is true. */
  sessionOptions?: boolean;
  /** Whether frequent statements are prepared. The default is true. */
  preparedStatements?: boolean;
  /** How long a query waits for a response from PostgreSQL. */
  queryTimeoutMs?: number;
  /** How long a caller waits for a connection before it gets 503. */
  connectTimeoutMs?: number;
  /** Overrides settings of each connection, for tests on a busy machine. */
  session?: Partial<typeof SESSION_SETTINGS>;
  /** Called with the SQL of every statement, without its values. */
  onQuery?: (sql: string) => void;
  /** Called once with the open pool. */
  onOpen?: (pool: OpenPool) => void;
};

export type OpenPool = {
  /** Reports how busy the pool is. */
  usage: () => PoolUsage;
  /** Closes idle connections. */
  closeIdle: () => void;
  /** Closes idle connections and the next one that is released, and opens no new ones for a while. */
  makeRoom: () => void;
};

/** Connections in use, callers that wait for one, and the maximum number of connections in the pool. */
export type PoolUsage = { inUse: number; waiting: number; size: number };

export function openDb(settings: PoolSettings): Db {
  const { onQuery, preparedStatements = true } = settings;
  const pool = openPool(settings);
  settings.onOpen?.({
    usage: () => ({
      inUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      size: settings.poolSize,
    }),
    closeIdle: () => dropIdle(pool),
    makeRoom: () => makeRoom(pool, settings.poolSize),
  });
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: preparedStatements ? usePreparedStatements(pool) : pool }),
    ...(onQuery ? { log: event => onQuery(event.query.sql) } : {}),
  });
}

/** Returns the settings of a connection that notices if PostgreSQL disappears without closing the connection. */
export const boundedConnection = (url: string, name: string, queryTimeoutMs = QUERY_TIMEOUT_MS) => ({
  connectionString: url,
  application_name: `halyard ${name}`,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: queryTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
});

function openPool(settings: PoolSettings): pg.Pool {
  const { url, poolSize, onError } = settings;
  const pool = new pg.Pool({
    ...boundedConnection(url, settings.name ?? 'command', settings.queryTimeoutMs),
    connectionTimeoutMillis: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    Client: makeReportingClient(settings.onTooManyConnections ?? (() => {})),
    max: poolSize,
    // A new connection costs a request 17 ms, so one is kept open. Keeping more could leave another server without a connection.
    min: 1,
    idleTimeoutMillis: 60_000,
    ...(settings.sessionOptions === false ? {} : { options: formatSessionOptions(settings) }),
    types: { getTypeParser },
  });
  pool.on('error', onError);
  pool.on('connect', client => {
    // A checked-out client emits its own 'error' when the server dies. Without a listener, the process would end.
    client.on('error', onError);
    client.on('queryTimeout' as 'error', error => {
      onError(error);
      dropIdle(pool);
    });
  });
  dropSurplus(pool);
  dropReadOnly(pool, settings.onReadOnly ?? (() => {}));
  return pool;
}

/** Closes read-only connections soon after they are opened, so that the pool finds the new primary by itself. */
function dropReadOnly(pool: pg.Pool, onReadOnly: () => void): void {
  const outdatedClients = new WeakSet<pg.PoolClient>();
  // Each client is an instance of the class that the pool was given.
  const isReadOnly = (client: pg.PoolClient): boolean => (client as unknown as Client).isReadOnly;
  const shouldDrop = (client: pg.PoolClient): boolean => isReadOnly(client) && outdatedClients.has(client);
  pool.on('connect', client => {
    setTimeout(() => {
      outdatedClients.add(client);
      if (isReadOnly(client)) dropIdle(pool, shouldDrop);
    }, READ_ONLY_LIFETIME_MS).unref();
    if (isReadOnly(client)) onReadOnly();
  });
  pool.on('release', (_error, client) => {
    if (!isReadOnly(client)) return;
    onReadOnly();
    // The pool removes a client that has ended.
    if (shouldDrop(client)) (client as unknown as Client).end().catch(() => {});
  });
}

/** Closes connections on release if they were in use when the pool became smaller. */
function dropSurplus(pool: pg.Pool): void {
  pool.on('release', (_error, client) => {
    if (pool.totalCount > pool.options.max) (client as unknown as Client).end().catch(() => {});
  });
}

/** The settings of every connection for requests and jobs. */
export const SESSION_SETTINGS = {
  timezone: 'UTC',
  // In every query we have, compiling a plan cost more than running it.
  jit: 'off',
  // Cursors are read to the end, so a plan must not favor the first rows at the cost of the others.
  cursor_tuple_fraction: '1',
  statement_timeout: `${STATEMENT_TIMEOUT_MS / 1_000}s`,
  lock_timeout: `${LOCK_TIMEOUT_MS / 1_000}s`,
  // A transaction that stalls halfway releases its locks.
  idle_in_transaction_session_timeout: '15s',
};

function formatSessionOptions({ session }: PoolSettings): string {
  return Object.entries({ ...SESSION_SETTINGS, ...session })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * Frees connections for a more important pool that got none. Idle connections are closed, and for a while, the pool is limited to
 * one connection fewer than are in use at the moment of the call.
 */
function makeRoom(pool: pg.Pool, poolSize: number): void {
  const inUse = pool.totalCount - pool.idleCount;
  pool.options.max = Math.max(1, inUse - 1);
  dropIdle(pool);
  setTimeout(() => {
    pool.options.max = poolSize;
  }, MAKE_ROOM_MS).unref();
}

/**
 * Closes idle connections. When one connection gets no response, the idle ones are probably broken too, and each of them would make
 * a caller wait just as long.
 */
function dropIdle(pool: pg.Pool, shouldDrop: (client: pg.PoolClient) => boolean = () => true): void {
  for (let remaining = pool.idleCount; remaining > 0; remaining--) {
    pool.connect().then(
      client => client.release(shouldDrop(client)),
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
