import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { getFirstId, SMALL_LOG } from './bitmap.ts';
import { type IndexPart, readIndexedChunks } from './store.ts';

export const INDEX_PARTS: readonly IndexPart[] = ['filters', 'text'];

/**
 * Returns how many seconds a complete chunk has waited for a part of the index, which is the age of the first event after the
 * chunk.
 */
export async function readIndexLag(db: Reader, part: IndexPart): Promise<number> {
  const nextChunk = await readIndexedChunks(db, [part]);
  const { rows } = await sql<{ lag: number }>`
    select extract(epoch from clock_timestamp() - created_at)::float8 as lag from events
    where id >= ${Math.max(getFirstId(nextChunk + 1), SMALL_LOG)} order by id limit 1`.execute(db);
  return rows[0]?.lag ?? 0;
}
