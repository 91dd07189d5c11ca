import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Reader } from '../../platform/db/database.ts';

/**
 * Decides which error a rejected clone returns. The guard cannot check the permission in a project that the body names, so the
 * server validates the body first. A caller without the permission still learns only about the permission: in the project of the
 * body or, if the body cannot be read, in the project of the path.
 */
export async function permissionFirst(db: Reader, error: unknown, request: FastifyRequest): Promise<unknown> {
  // Without an actor there was no valid token.
  if (request.actor === undefined) return error;
  const { projectId } = request.params as { projectId: string };
  const { project } = (request.body ?? {}) as { project?: unknown };
  const target = typeof project === 'string' ? project : projectId;
  const denied = await requireInProject(db, request.actor, target, ['CREATE_FEATURE']).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return denied instanceof ApiError && denied.name === 'NoAccessError' ? denied : error;
}
