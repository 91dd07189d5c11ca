import { invalidOperation, notFound } from '../../../../plane/src/platform/errors.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { apiTokenEventData, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import type { ApiToken } from './schema.ts';
import {
  type ApiTokenKey,
  isForProject,
  lockToken,
  lockTokensOf,
  markAllRevoked,
  markRevoked,
  unbindFromProject,
} from './store.ts';

/** Revokes a token. Servers have SDK tokens in memory and refresh them every second. */
export async function revokeApiToken(current: Change, key: ApiTokenKey): Promise<void> {
  const token = await lockToken(current.tx, current.actor, key);
  if (!token) throw notFound('This API token');
  requirePermission(current.actor, [tokenPermission('DELETE', token.type)]);
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
  record({ type: 'api-token-deleted', ...scopeOf(token), preData: apiTokenEventData(token) });
}

/** Revokes the tokens that are only for this project, and removes the project from the others. Runs before the project is deleted. */
export async function revokeTokensOfProject({ tx, record }: Change, project: string): Promise<void> {
  const tokens = await lockTokensOf(tx, project);
  const isOnlyForIt = ({ projects }: ApiToken) => projects.length === 1;
  const idsOf = (some: ApiToken[]) => some.map(({ id }) => id);
  await markAllRevoked(tx, idsOf(tokens.filter(isOnlyForIt)));
  await unbindFromProject(tx, project, idsOf(tokens.filter(token => !isOnlyForIt(token))));
  for (const token of tokens) {
    const preData = apiTokenEventData(token);
    if (isOnlyForIt(token)) record({ type: 'api-token-deleted', ...scopeOf(token), preData });
    else {
      const projects = token.projects.filter(one => one !== project);
      // The event belongs to no project, because readers of the one project that is left may not be allowed to know about the
      // deleted one.
      record({ type: 'api-token-updated', ...scopeOf(token), data: { ...preData, projects }, preData });
    }
  }
}
