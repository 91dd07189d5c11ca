import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import type pg from 'pg';

/** Marks a read as a prepared statement. For reads of a few rows by key that almost every request makes. */
export const PREPARED = sql`/* prepared */`;

const MARK = /^\s*select \/\* prepared \*\//;
/** A statement is prepared from its third execution on. Statements composed for one request rarely recur. */
const SEEN_BEFORE = 2;
/** A prepared statement takes about 50 kB of memory in each connection. */
const MAX_PREPARED = 300;
const MAX_SEEN = 3_000;

/**
 * Prepares the statements of transactions and the reads marked `PREPARED`, once per connection. Planning took half of the CPU
 * time of a change: a clone of 6 strategies took 20 ms in PostgreSQL, and takes 11 ms with prepared statements. Searches are
 * planned each time, because their best plan depends on the search.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const isFrequent = frequencyOf();
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const preparing = known.get(client) ?? preparingClient(client, isFrequent);
      known.set(client, preparing);
      return preparing;
    },
    end: async () => await pool.end(),
  };
}

function preparingClient(client: pg.PoolClient, isFrequent: (text: string) => boolean): PostgresPoolClient {
  const statements = statementsOf(client);
  let inTransaction = false;
  let outdated = false;

  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(given: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof given !== 'string') return client.query(given as PostgresCursor<unknown> & pg.Submittable);
    // A transaction with an isolation level is a long read, so its statements are not prepared.
    if (given === 'begin') inTransaction = true;
    else if (/^(commit|rollback)$/.test(given)) inTransaction = false;
    const prepare = values.length > 0 && (inTransaction || MARK.test(given)) && isFrequent(given);
    return prepare ? byName(given, [...values]) : client.query(given, [...values]);
  }

  async function byName(text: string, values: unknown[]) {
    const name = statements.nameOf(text) ?? (await statements.add(text));
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      outdated ||= isOutdatedStatement(error);
      throw error;
    }
  }

  return { query, release: () => client.release(outdated) };
}

/** The prepared statements of one connection. A name is never reused for a different statement, not even after its eviction. */
function statementsOf(client: pg.PoolClient) {
  const names = new Map<string, string>();
  let count = 0;

  async function evict(text: string, name: string): Promise<void> {
    names.delete(text);
    // The driver stores the text of every name that it has prepared, as long as the connection is open.
    delete (client as Prepared).connection?.parsedStatements?.[name];
    // PostgreSQL rejects statements in a failed transaction. The statement then stays prepared.
    await client.query(`deallocate ${name}`).catch(() => {});
  }

  return {
    nameOf: (text: string): string | undefined => {
      const name = names.get(text);
      if (name !== undefined) moveToEnd(names, text, name);
      return name;
    },
    add: async (text: string): Promise<string> => {
      const [oldest] = names;
      if (oldest && names.size >= MAX_PREPARED) await evict(...oldest);
      const name = `halyard_${++count}`;
      names.set(text, name);
      return name;
    },
  };
}

type Prepared = { connection?: { parsedStatements?: Record<string, string> } };

/** Returns whether a statement was executed often enough on any connection. The least recently used ones are forgotten. */
function frequencyOf(): (text: string) => boolean {
  const seen = new Map<string, number>();
  return text => {
    const times = (seen.get(text) ?? 0) + 1;
    moveToEnd(seen, text, times);
    const [oldest] = seen.keys();
    if (oldest !== undefined && seen.size > MAX_SEEN) seen.delete(oldest);
    return times > SEEN_BEFORE;
  };
}

/** A Map keeps the order of insertion, so its first entry is the least recently used one. */
function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/** A migration changed the columns that a prepared statement returns. A new connection prepares it again. */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);
