import type { Reader } from '../../platform/db/database.ts';
import type { EventRow } from '../events/store.ts';
import { listNewestById } from './store.ts';

/** A page ends with the event that exceeds this size, as JSON. Only large events reach it. */
export const MAX_PAGE_BYTES = 8_388_608;

/** Returns the events with these ids, which must be in descending order, until the page reaches its maximum size. */
export async function readPage(db: Reader, ids: number[]): Promise<EventRow[]> {
  const page: EventRow[] = [];
  let bytes = 0;
  while (page.length < ids.length && bytes < MAX_PAGE_BYTES) {
    const batch = await listNewestById(db, ids.slice(page.length));
    // A typical page takes one statement and is too small to exceed the limit.
    if (page.length === 0 && batch.length === ids.length) return batch;
    if (batch.length === 0) break;
    for (const event of batch) {
      if (bytes >= MAX_PAGE_BYTES) break;
      bytes += Buffer.byteLength(JSON.stringify(event));
      page.push(event);
    }
  }
  return page;
}
