import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Log } from '../event-index/store.ts';
import { toConditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { isVisible } from '../events/store.ts';
import { EVENT_WEIGHT } from '../events/weight.ts';

/** The ids from `low` to below `high`. */
export type IdRange = { low: number; high: number };

/** The maximum number of events that a statement returns, which is about 1 MB of typical events. */
export const BATCH_ROWS = 1_000;
/** The total weight after which a batch ends. */
const BATCH_WEIGHT = 2_097_152;
/** An event as one line of the export. */
export type ExportedLine = { id: number; line: string };

/**
 * Returns the newest visible events of a range that match. Their number and total size are bounded, but the batch has at least one
 * event if there is any.
 */
export async function listExportBatch(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  { low, high }: IdRange,
  line: RawBuilder<string>,
): Promise<ExportedLine[]> {
  const matches = [sql<SqlBool>`id >= ${low}`, sql<SqlBool>`id < ${high}`, ...toConditions(filters)];
  return await listBatch(db, actor, filters, matches, line);
}

/**
 * Returns the newest of the events with these ids that are visible. Their total size is bounded, but the batch has at least one
 * event if there is any.
 */
export async function listExportBatchById(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  ids: number[],
  line: RawBuilder<string>,
): Promise<ExportedLine[]> {
  return await listBatch(db, actor, filters, [sql<SqlBool>`id = any(${ids}::bigint[])`], line);
}

async function listBatch(
  db: Reader,
  actor: Actor,
  filters: EventFilters,
  conditions: Expression<SqlBool>[],
  line: RawBuilder<string>,
): Promise<ExportedLine[]> {
  const matches = [isVisible(actor, filters), ...conditions];
  const { rows } = await sql<ExportedLine>`
    select id, ${line} as line
    from (
      select *, sum(weight) over (order by id desc rows unbounded preceding) as weight_so_far
      from (
        select *, ${EVENT_WEIGHT} as weight
        from events where ${sql.join(matches, sql` and `)} order by id desc limit ${BATCH_ROWS}
      ) as newest
    ) as weighed
    where weight_so_far - weight < ${BATCH_WEIGHT}
    order by id desc`.execute(db);
  return rows;
}

/** Returns the lowest id of a log, or undefined if the log is empty. */
export async function findLowestId(db: Reader, log: Log): Promise<number | undefined> {
  const ids = log === 'own' ? sql`id > 0` : sql`id < 0`;
  const { rows } = await sql<{ id: number | null }>`
    select min(id) as id from events where ${ids}`.execute(db);
  return rows[0]?.id ?? undefined;
}
