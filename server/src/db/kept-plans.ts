import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import type pg from 'pg';

/** At the beginning of a read that is asked with almost every request, always for a few rows by their keys. */
export const ASKED_OFTEN = sql`/* asked often */`;

const MARK = /^\s*select \/\* asked often \*\//;
/** A text that is seen once is not worth a plan; those are the ones put together from what was asked for. */
const SEEN_BEFORE = 2;
/** Each takes memory in every connection, some 50 kB. */
const MOST_PLANS = 300;
const MOST_SEEN = 3_000;

/**
 * Lets PostgreSQL keep the plans of the statements of transactions, and of reads that say so, for as long as a connection
 * lives: making plans was half of what a change cost it (a clone of six strategies took 20 ms of CPU, now 11). Searches are
 * planned each time, since their best plan depends on what is searched for.
 */
export function keepingPlans(pool: pg.Pool): PostgresPool {
  const nameOf = namer();
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const keeping = known.get(client) ?? keepPlans(client, nameOf);
      known.set(client, keeping);
      return keeping;
    },
    end: async () => await pool.end(),
  };
}

function keepPlans(client: pg.PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  let inTransaction = false;
  let outdated = false;

  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(asked: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') return client.query(asked as PostgresCursor<unknown> & pg.Submittable);
    // One that names its isolation reads much, from one snapshot.
    if (asked === 'begin') inTransaction = true;
    else if (/^(commit|rollback)$/.test(asked)) inTransaction = false;
    const name = values.length > 0 && (inTransaction || MARK.test(asked)) ? nameOf(asked) : undefined;
    return name === undefined ? client.query(asked, [...values]) : byName(name, asked, [...values]);
  }

  async function byName(name: string, text: string, values: unknown[]) {
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      outdated ||= isOutdatedPlan(error);
      throw error;
    }
  }

  return { query, release: () => client.release(outdated) };
}

/** One name for each text, for all connections. */
function namer(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const seen = new Map<string, number>();
  return text => {
    const name = names.get(text);
    if (name !== undefined || names.size >= MOST_PLANS) return name;
    const times = (seen.get(text) ?? 0) + 1;
    if (times <= SEEN_BEFORE) {
      if (seen.size >= MOST_SEEN) seen.clear();
      seen.set(text, times);
      return undefined;
    }
    seen.delete(text);
    names.set(text, `halyard_${names.size}`);
    return names.get(text);
  };
}

/** A migration gave another form to what the statement returns; a new connection knows nothing of the old one. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);
