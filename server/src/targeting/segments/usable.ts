import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { lockUsableSegments } from './store.ts';

/** What is wrong with segments a strategy names: each must be there, and global or of the project. They stay until the transaction ends. */
export async function segmentViolations(tx: Tx, project: string, ids: number[]): Promise<Violation[]> {
  return (await unusableSegments(tx, project, ids)).map(id => ({
    message: `segment ${id} does not exist in this project`,
    path: '/body/segments',
  }));
}

/** Those of the segments that are neither global nor of the project. The others stay so until the transaction ends. */
export async function unusableSegments(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const usable = new Set(await lockUsableSegments(tx, project, ids));
  return ids.filter(id => !usable.has(id));
}
