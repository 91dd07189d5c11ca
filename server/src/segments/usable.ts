import type { Tx } from '../db/database.ts';
import type { Violation } from '../errors.ts';
import { lockUsableSegments } from './store.ts';

/** What is wrong with segments a strategy names: each must be there, and global or of the project. They stay until the transaction ends. */
export async function segmentViolations(tx: Tx, project: string, ids: number[]): Promise<Violation[]> {
  return (await unusableSegments(tx, project, ids)).map(id => ({
    message: `segment ${id} does not exist in this project`,
    path: '/body/segments',
  }));
}

/** Those of the segments that the project may not use; the others stay until the transaction ends. */
export async function unusableSegments(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const usable = await lockUsableSegments(tx, project, ids);
  return ids.filter(id => !usable.includes(id));
}
