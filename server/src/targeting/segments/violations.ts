import type { Tx } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { lockUsableSegmentsShared } from './store.ts';

/** The violations of a strategy's segments: each must exist and be global or of the project. */
export async function segmentViolations(tx: Tx, project: string, ids: number[]): Promise<Violation[]> {
  return (await listUnusableSegments(tx, project, ids)).map(id => ({
    message: `segment ${id} does not exist in project "${project}"`,
    path: '/body/segments',
  }));
}

/** The segments that are neither global nor of the project. The others cannot change or be deleted until the transaction ends. */
export async function listUnusableSegments(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const usable = new Set(await lockUsableSegmentsShared(tx, project, ids));
  return ids.filter(id => !usable.has(id));
}
