import { requireInProject, requirePermission } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';

type SegmentPermission = 'CREATE_SEGMENT' | 'UPDATE_SEGMENT' | 'DELETE_SEGMENT';

/**
 * Requires the root permission for a global segment. For a segment of a project, UPDATE_PROJECT_SEGMENT in the project is enough.
 */
export async function requireSegmentPermission(
  db: Reader,
  actor: Actor,
  permission: SegmentPermission,
  project: string | null,
): Promise<void> {
  if (project === null) requirePermission(actor, [permission]);
  else await requireInProject(db, actor, project, [permission, 'UPDATE_PROJECT_SEGMENT']);
}
