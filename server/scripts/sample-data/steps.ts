import type pg from 'pg';

const MINUTE_MS = 60_000;
export const HOUR = 60;
export const DAY = 24 * HOUR;

/** A step of the sample history: when it really ran, and the time in the past that it gets, in ms. */
type Step = { startedAt: string; datedMs: number };

export type Steps = {
  /** Runs a step and dates it this many minutes in the past. Steps must run in chronological order. */
  runAt: <T>(minutesAgo: number, work: () => Promise<T>) => Promise<T>;
  /** From now on, each step waits until every delivery has been attempted, so that attempts get the step's time. */
  waitForDeliveries: () => void;
  /** Waits until every failing delivery has had this many attempts. */
  waitUntilFailed: (attempts: number) => Promise<void>;
  /** Moves every timestamp that a step wrote to the step's time. */
  shiftTimes: () => Promise<void>;
};

/**
 * The server writes the current time, but the sample data needs times in the past. So the steps run now, in order, and afterwards
 * `shiftTimes` moves the times that they wrote. This is the only code that changes events. It is safe only if nobody else uses the
 * database and no event is indexed yet. None is, because the index covers complete chunks of 24,000 events, and the sample data has
 * fewer.
 */
export function makeSteps(client: pg.Client): Steps {
  const steps: Step[] = [];
  const now = Date.now();
  let mustWaitForDeliveries = false;

  const clock = async (): Promise<string> =>
    (await client.query('select clock_timestamp()::text as now')).rows[0].now;

  return {
    runAt: async (minutesAgo, work) => {
      const datedMs = now - minutesAgo * MINUTE_MS;
      const previousMs = steps.at(-1)?.datedMs ?? 0;
      // Keeps the times of one step before those of the next.
      steps.push({ startedAt: await clock(), datedMs: Math.max(datedMs, previousMs + 1_000) });
      const result = await work();
      if (mustWaitForDeliveries)
        await waitUntilNone(client, "select 1 from integration_deliveries where state = 'pending' limit 1");
      return result;
    },
    waitForDeliveries: () => {
      mustWaitForDeliveries = true;
    },
    waitUntilFailed: attempts =>
      waitUntilNone(
        client,
        `select 1 from integration_deliveries d where state = 'retrying' and ${attempts} >
          (select count(*) from integration_attempts a where a.delivery_id = d.id and outcome is not null) limit 1`,
      ),
    shiftTimes: async () => {
      const endedAt = await clock();
      await client.query('begin');
      // Disables triggers, because events are immutable and SDKs must not be notified.
      await client.query('set local session_replication_role = replica');
      await client.query(
        'create temporary table step_times (period tstzrange, shift interval) on commit drop',
      );
      for (const [index, { startedAt, datedMs }] of steps.entries())
        await client.query(
          'insert into step_times values (tstzrange($1, $2), to_timestamp($3::float8 / 1000) - $1::timestamptz)',
          [startedAt, steps[index + 1]?.startedAt ?? endedAt, datedMs],
        );
      for (const { table, columns } of await listTimes(client)) {
        const assignments = columns.map(
          column =>
            `${column} = ${column} + coalesce((select shift from step_times where period @> t.${column}), interval '0')`,
        );
        await client.query(`update ${table} t set ${assignments.join(', ')}`);
      }
      await client.query('commit');
      await client.query('analyze');
    },
  };
}

/** Lists the timestamp columns of all our tables except the migrations table. Partitions belong to their table. */
async function listTimes(client: pg.Client): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await client.query(`
    select quote_ident(c.relname) as "table", array_agg(quote_ident(a.attname)) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like '%migration%' and a.atttypid = 'timestamptz'::regtype
    group by c.relname`);
  return rows;
}

/** Waits until the query finds no row. */
async function waitUntilNone(client: pg.Client, query: string): Promise<void> {
  for (let attempts = 0; attempts < 1_200; attempts++) {
    if ((await client.query(query)).rows.length === 0) return;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  throw new Error('The deliveries of the sample data were not attempted within 30 s.');
}
