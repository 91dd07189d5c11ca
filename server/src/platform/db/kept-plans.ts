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
  const isFrequent = frequencyOf();
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const keeping = known.get(client) ?? keepPlans(client, isFrequent);
      known.set(client, keeping);
      return keeping;
    },
    end: async () => await pool.end(),
  };
}

function keepPlans(client: pg.PoolClient, isFrequent: (text: string) => boolean): PostgresPoolClient {
  const plans = plansOf(client);
  let inTransaction = false;
  let outdated = false;

  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(asked: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') return client.query(asked as PostgresCursor<unknown> & pg.Submittable);
    // One that names its isolation reads much, from one snapshot.
    if (asked === 'begin') inTransaction = true;
    else if (/^(commit|rollback)$/.test(asked)) inTransaction = false;
    const keep = values.length > 0 && (inTransaction || MARK.test(asked)) && isFrequent(asked);
    return keep ? byName(asked, [...values]) : client.query(asked, [...values]);
  }

  async function byName(text: string, values: unknown[]) {
    const name = plans.nameOf(text) ?? (await plans.add(text));
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      outdated ||= isOutdatedPlan(error);
      throw error;
    }
  }

  return { query, release: () => client.release(outdated) };
}

/** The prepared statements of one connection. A name is never used for a second text, also after its eviction. */
function plansOf(client: pg.PoolClient) {
  const names = new Map<string, string>();
  let count = 0;

  async function evict(text: string, name: string): Promise<void> {
    names.delete(text);
    // pg remembers the text of every name it has prepared, for as long as the connection lives.
    delete (client as Prepared).connection?.parsedStatements?.[name];
    // In a transaction that has failed PostgreSQL takes no statement; this one plan is kept then.
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
      if (oldest && names.size >= MOST_PLANS) await evict(...oldest);
      const name = `halyard_${++count}`;
      names.set(text, name);
      return name;
    },
  };
}

type Prepared = { connection?: { parsedStatements?: Record<string, string> } };

/** Whether a text came often enough, on whichever connection. Texts that do not come any more are forgotten. */
function frequencyOf(): (text: string) => boolean {
  const seen = new Map<string, number>();
  return text => {
    const times = (seen.get(text) ?? 0) + 1;
    moveToEnd(seen, text, times);
    const [oldest] = seen.keys();
    if (oldest !== undefined && seen.size > MOST_SEEN) seen.delete(oldest);
    return times > SEEN_BEFORE;
  };
}

/** A Map keeps its order of insertion: what was used last stands last, and the first is the one to evict. */
function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/** A migration gave another form to what the statement returns; a new connection knows nothing of the old one. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);
