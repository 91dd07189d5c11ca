import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { keepingPlans } from './kept-plans.ts';
import type { DB } from './tables.gen.ts';

export type Db = Kysely<DB>;

/** What a function needs that only reads: the pool or a transaction. */
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'getExecutor'>;

/** What a function needs that writes: it cannot be called outside a transaction. */
export type Tx = Transaction<DB>;

export type PoolSettings = {
  url: string;
  poolSize: number;
  onError: (error: Error) => void;
  /** Whether connections keep plans of statements; yes if left out. */
  keepPlans?: boolean;
  /** Told of every statement, without its values. */
  onQuery?: (sql: string) => void;
};

export function openDb(settings: PoolSettings): Db {
  const { onQuery, keepPlans = true } = settings;
  const pool = openPool(settings);
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: keepPlans ? keepingPlans(pool) : pool, cursor: Cursor }),
    ...(onQuery ? { log: event => onQuery(event.query.sql) } : {}),
  });
}

function openPool({ url, poolSize, onError }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    // A caller waits at most this long for a free connection, then gets 503 instead of hanging.
    connectionTimeoutMillis: 5_000,
    // After pg's own 10 s of idling, a request paid 17 ms for a new connection.
    idleTimeoutMillis: 300_000,
    // jit: compiling a plan cost more than running it in every query we have. The time limits bound what one
    // caller can cost the others; a transaction that stalls half-way lets go of its locks.
    options:
      '-c timezone=UTC -c jit=off -c statement_timeout=15s -c lock_timeout=5s -c idle_in_transaction_session_timeout=15s',
    types: { getTypeParser },
  });
  pool.on('error', onError);
  // A checked-out client emits its own 'error' when the server dies; without a listener the process ends.
  pool.on('connect', client => client.on('error', onError));
  return pool;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  if (oid === INT8) return Number;
  if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString();
  return pg.types.getTypeParser(oid, format);
};
