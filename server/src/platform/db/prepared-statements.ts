import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import type pg from 'pg';

/** Marks a read as a prepared statement. Use it for reads of a few rows by key that almost every request makes. */
export const PREPARED = sql`/* prepared */`;

const PREPARED_PATTERN = /^\s*select \/\* prepared \*\//;
/** The first executions of a statement are not prepared, because statements composed for one request rarely recur. */
const UNPREPARED_EXECUTIONS = 2;
/** A prepared statement takes about 50 kB of memory in each connection. */
const MAX_PREPARED_STATEMENTS = 300;
const MAX_COUNTED_STATEMENTS = 3_000;

/**
 * Prepares the statements of transactions and the reads marked `PREPARED`, once per connection. Planning took half of a change's
 * CPU time. For example, cloning 6 strategies took 20 ms in PostgreSQL, and takes 11 ms with prepared statements. Searches are
 * planned each time, because their best plan depends on the search.
 */
export function usePreparedStatements(pool: pg.Pool): PostgresPool {
  const isFrequent = makeFrequencyCheck();
  const preparingClients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const preparingClient = preparingClients.get(client) ?? makePreparingClient(client, isFrequent);
      preparingClients.set(client, preparingClient);
      return preparingClient;
    },
    end: async () => await pool.end(),
  };
}

function makePreparingClient(
  client: pg.PoolClient,
  isFrequent: (text: string) => boolean,
): PostgresPoolClient {
  const statementNames = makeStatementNames(client);
  let inTransaction = false;
  let isOutdated = false;

  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(statement: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof statement !== 'string')
      return client.query(statement as PostgresCursor<unknown> & pg.Submittable);
    // Only long reads set an isolation level explicitly. They do not start with a plain `begin`, so their statements are not prepared.
    if (statement === 'begin') inTransaction = true;
    else if (/^(commit|rollback)$/.test(statement)) inTransaction = false;
    const isPrepared =
      values.length > 0 && (inTransaction || PREPARED_PATTERN.test(statement)) && isFrequent(statement);
    return isPrepared ? runPrepared(statement, [...values]) : client.query(statement, [...values]);
  }

  async function runPrepared(text: string, values: unknown[]) {
    const name = statementNames.get(text) ?? (await statementNames.add(text));
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      isOutdated ||= isOutdatedStatement(error);
      throw error;
    }
  }

  return { query, release: () => client.release(isOutdated) };
}

/** Names the prepared statements of one connection. A name is never reused for a different statement, even after an eviction. */
function makeStatementNames(client: pg.PoolClient) {
  const names = new Map<string, string>();
  let count = 0;

  async function evict(text: string, name: string): Promise<void> {
    names.delete(text);
    // The driver stores the text of every name that it has prepared, as long as the connection is open.
    delete (client as PreparedClient).connection?.parsedStatements?.[name];
    // PostgreSQL rejects statements in a failed transaction. The statement then stays prepared.
    await client.query(`deallocate ${name}`).catch(() => {});
  }

  return {
    get: (text: string): string | undefined => {
      const name = names.get(text);
      if (name !== undefined) moveToEnd(names, text, name);
      return name;
    },
    add: async (text: string): Promise<string> => {
      const [oldest] = names;
      if (oldest && names.size >= MAX_PREPARED_STATEMENTS) await evict(...oldest);
      const name = `halyard_${++count}`;
      names.set(text, name);
      return name;
    },
  };
}

type PreparedClient = { connection?: { parsedStatements?: Record<string, string> } };

/**
 * Creates a function that counts an execution of a statement and returns whether it runs often enough to be prepared. It counts the
 * executions on all connections together, and forgets the least recently used statements.
 */
function makeFrequencyCheck(): (text: string) => boolean {
  const executions = new Map<string, number>();
  return text => {
    const count = (executions.get(text) ?? 0) + 1;
    moveToEnd(executions, text, count);
    const [oldest] = executions.keys();
    if (oldest !== undefined && executions.size > MAX_COUNTED_STATEMENTS) executions.delete(oldest);
    return count > UNPREPARED_EXECUTIONS;
  };
}

/** Moves a key to the end of a Map. A Map keeps the order of insertion, so its first entry is the least recently used one. */
function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/**
 * Returns whether a migration changed the columns that a prepared statement returns. A new connection prepares the statement again.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);
