import { sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type EventBatch, readEventBatch } from '../events/batch.ts';
import { conditions } from '../events/conditions.ts';
import type { EventFilters } from '../events/search-query.ts';
import { isVisible } from '../events/store.ts';

/** Strings per statement: 100 events with 20 strings are 2,000 comparisons. */
const TEXTS_PER_BATCH = 20;

/** For each string, the ids of the events that contain it, as the search finds it. */
export async function findTexts(
  db: Reader,
  ids: number[],
  texts: string[],
): Promise<Map<string, Set<number>>> {
  const found = new Map(texts.map(text => [text, new Set<number>()]));
  for (let first = 0; first < texts.length; first += TEXTS_PER_BATCH) {
    const some = texts.slice(first, first + TEXTS_PER_BATCH);
    const parts = some.map((query, at) => {
      const contains = sql.join(conditions({ query }), sql` and `);
      return sql`select ${at}::integer as text, id from events where id = any(${ids}::bigint[]) and ${contains}`;
    });
    const { rows } = await sql<{ text: number; id: number }>`
      select * from (${sql.join(parts, sql` union all `)}) as found`.execute(db);
    for (const { text, id } of rows) found.get(some[text] ?? '')?.add(id);
  }
  return found;
}

/** An event, and the change that it belongs to. */
export type EventMark = { id: number; groupId: string };

/** The last events up to an id, in the order of their ids. */
export async function listLastMarks(db: Reader, upTo: number, limit: number): Promise<EventMark[]> {
  const { rows } = await sql<EventMark>`
    select id, group_id as "groupId" from events where id <= ${upTo} order by id desc limit ${limit}`.execute(
    db,
  );
  return rows.toReversed();
}

export async function listMarks(
  db: Reader,
  { from, to }: { from: number; to: number },
): Promise<EventMark[]> {
  const { rows } = await sql<EventMark>`
    select id, group_id as "groupId" from events where id >= ${from} and id <= ${to} order by id`.execute(db);
  return rows;
}

/** The first events of an id range that match the search and that the actor can see. */
export const readMatches = async (
  db: Reader,
  actor: Actor,
  search: EventFilters,
  range: { after: number; upTo: number },
  limit: number,
): Promise<EventBatch> =>
  await readEventBatch(db, range, limit, [isVisible(actor, search), ...conditions(search)]);
