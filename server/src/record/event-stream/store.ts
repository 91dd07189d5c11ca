import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type EventBatch, readEventBatch } from '../events/batch.ts';
import { toConditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { isVisible } from '../events/store.ts';

/** The maximum number of strings per statement. 100 events with 20 strings are 2,000 comparisons. */
const TEXTS_PER_BATCH = 20;

/** Returns the ids of the events that contain each string, as the search finds them. */
export async function findTexts(
  db: Reader,
  ids: number[],
  texts: string[],
): Promise<Map<string, Set<number>>> {
  const idsByText = new Map(texts.map(text => [text, new Set<number>()]));
  for (let start = 0; start < texts.length; start += TEXTS_PER_BATCH) {
    const batch = texts.slice(start, start + TEXTS_PER_BATCH);
    const queries = batch.map((query, index) => {
      const contains = sql.join(toConditions({ query }), sql` and `);
      return sql`select ${index}::integer as text, id from events where id = any(${ids}::bigint[]) and ${contains}`;
    });
    const { rows } = await sql<{ text: number; id: number }>`
      select * from (${sql.join(queries, sql` union all `)}) as found`.execute(db);
    for (const { text, id } of rows) idsByText.get(batch[text] ?? '')?.add(id);
  }
  return idsByText;
}

/** An event, and the change that it belongs to. */
export type EventMark = { id: number; groupId: string };

/** Returns the last events up to an id, in the order of their ids. */
export async function listLastMarks(db: Reader, lastId: number, limit: number): Promise<EventMark[]> {
  const { rows } = await sql<EventMark>`
    select id, group_id as "groupId" from events where id <= ${lastId} order by id desc limit ${limit}`.execute(
    db,
  );
  return rows.toReversed();
}

export async function listMarks(
  db: Reader,
  { firstId, lastId }: { firstId: number; lastId: number },
): Promise<EventMark[]> {
  const { rows } = await sql<EventMark>`
    select id, group_id as "groupId" from events where id >= ${firstId} and id <= ${lastId} order by id`.execute(
    db,
  );
  return rows;
}

/** Returns the first events of an id range that match the search and that the actor can see. */
export const readMatches = async (
  db: Reader,
  actor: Actor,
  search: EventFilters,
  range: { afterId: number; lastId: number },
  limit: number,
): Promise<EventBatch> =>
  await readEventBatch(db, range, limit, [isVisible(actor, search), ...toConditions(search)]);
