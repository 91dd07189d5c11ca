import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { firstIdOf } from './bitmap.ts';
import { readIndexedChunks } from './store.ts';

/** For how many seconds a complete chunk has waited to be indexed: the age of the first event behind it. */
export async function readIndexLag(db: Reader): Promise<number> {
  const next = await readIndexedChunks(db, ['filters', 'text']);
  const { rows } = await sql<{ lag: number }>`
    select extract(epoch from clock_timestamp() - created_at)::float8 as lag from events
    where id >= ${firstIdOf(next + 1)} order by id limit 1`.execute(db);
  return rows[0]?.lag ?? 0;
}
