import { invalidOperation, notFound } from '@halyard/plane/platform/errors.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { apiTokenEventData, getEventScope } from './create.ts';
import { getTokenPermission } from './permission.ts';
import type { ApiToken } from './schema.ts';
import {
  type ApiTokenKey,
  isForProject,
  lockProjectTokens,
  lockToken,
  markAllRevoked,
  markRevoked,
  unbindFromProject,
} from './store.ts';

/** Revokes a token. Servers keep SDK tokens in memory, so they may accept a revoked one for up to a second. */
export async function revokeApiToken(current: Change, key: ApiTokenKey): Promise<void> {
  const token = await lockToken(current.tx, current.actor, key);
  if (!token) throw notFound('This API token');
  requirePermission(current.actor, [getTokenPermission('DELETE', token.type)]);
  await revoke(current, token);
}

/** Revokes a token for one project. Revoking a token for several projects requires the permission on the instance. */
export async function revokeProjectToken(current: Change, project: string, key: ApiTokenKey): Promise<void> {
  const token = await lockToken(current.tx, current.actor, key, isForProject(project));
  if (!token) throw notFound('This API token');
  if (token.projects.length > 1) {
    throw invalidOperation(
      'This token also covers other projects. Revoke it with DELETE /api/admin/api-tokens/:token.',
    );
  }
  await revoke(current, token);
}

async function revoke({ tx, record }: Change, token: ApiToken): Promise<void> {
  await markRevoked(tx, token.id);
  record({ type: 'api-token-deleted', ...getEventScope(token), preData: apiTokenEventData(token) });
}

/**
 * Revokes the tokens that are only for this project, and removes the project from the others. Runs before the project is deleted.
 */
export async function revokeProjectTokens({ tx, record }: Change, project: string): Promise<void> {
  const tokens = await lockProjectTokens(tx, project);
  const isOnlyForProject = ({ projects }: ApiToken) => projects.length === 1;
  const getIds = (list: ApiToken[]) => list.map(({ id }) => id);
  await markAllRevoked(tx, getIds(tokens.filter(isOnlyForProject)));
  await unbindFromProject(tx, project, getIds(tokens.filter(token => !isOnlyForProject(token))));
  for (const token of tokens) {
    const preData = apiTokenEventData(token);
    if (isOnlyForProject(token)) record({ type: 'api-token-deleted', ...getEventScope(token), preData });
    else {
      const projects = token.projects.filter(id => id !== project);
      // The event belongs to no project, because readers of the remaining project may not be allowed to know about the
      // deleted project.
      record({ type: 'api-token-updated', ...getEventScope(token), data: { ...preData, projects }, preData });
    }
  }
}
