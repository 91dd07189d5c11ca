import type { Tx } from '../../platform/db/database.ts';
import { lockUsableSegmentIds } from './store.ts';

export { readSegmentNames } from './store.ts';

/**
 * Lists the segments that are neither global nor in the project. The others cannot change or be deleted until the transaction ends.
 */
export async function listUnusableSegments(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const usableIds = new Set(await lockUsableSegmentIds(tx, project, ids));
  return ids.filter(id => !usableIds.has(id));
}
