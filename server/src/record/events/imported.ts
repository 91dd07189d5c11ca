import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { PREPARED } from '../../platform/db/prepared-statements.ts';

// Events imported from Unleash have negative ids, which are their Unleash ids minus 2³². Imported events keep their order and come
// before every event of this server, whose ids begin at 1, no matter how long both servers are used.

export const IMPORTED_ID_OFFSET = 4_294_967_296;

/** Unleash event ids begin at 1 and have 31 bits. */
export const LOWEST_ID = 1 - IMPORTED_ID_OFFSET;

export const toImportedId = (unleashId: number): number => unleashId - IMPORTED_ID_OFFSET;
export const toUnleashId = (id: number): number => id + IMPORTED_ID_OFFSET;
export const isImported = (id: number): boolean => id < 0;

/** Returns whether the log has imported events. */
export async function hasImportedEvents(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select ${PREPARED} exists (select from events where id < 0)`.execute(db);
  return rows[0]?.exists ?? false;
}

/** Returns the highest id of the imported events. */
export async function findLastImported(db: Reader): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from events where id < 0`.execute(db);
  return rows[0]?.id ?? undefined;
}
