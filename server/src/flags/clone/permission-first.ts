import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { FastifyRequest } from 'fastify';
import { requireInProject } from '../../access/guard.ts';
import type { Reader } from '../../platform/db/database.ts';

/**
 * Decides which error a rejected clone returns. The guard cannot check the permission in a project that the body names, so the
 * server validates the body first. A caller without the permission in that project still gets only the permission error. If the
 * body cannot be read, the permission is checked in the project in the URL.
 */
export async function preferPermissionError(
  db: Reader,
  error: unknown,
  request: FastifyRequest,
): Promise<unknown> {
  // Without an actor, the request had no valid token.
  if (request.actor === undefined) return error;
  const { projectId } = request.params as { projectId: string };
  const { project } = (request.body ?? {}) as { project?: unknown };
  const target = typeof project === 'string' ? project : projectId;
  const denial = await requireInProject(db, request.actor, target, ['CREATE_FEATURE']).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return denial instanceof ApiError && denial.name === 'NoAccessError' ? denial : error;
}
