import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { FastifyRequest } from 'fastify';
import { requireInProject } from '../../access/guard.ts';
import type { Reader } from '../../platform/db/database.ts';

/**
 * Decides which error a rejected clone returns. The body can name the target project, so the server validates the body before it
 * can check the permission there. A caller without the permission must still get only the permission error. If the body names no
 * project, the permission is checked in the project in the URL.
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
