import { requirePermission } from '../../access/guard.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { apiTokenEventData, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import type { ApiToken } from './schema.ts';
import { type ApiTokenKey, lockToken, markRevoked, revokeTokensOf } from './store.ts';

/** Revokes a token. No server caches tokens, so all servers reject it from the commit on. */
export async function revokeApiToken(current: Change, key: ApiTokenKey): Promise<void> {
  await revoke(current, key, ({ type }) =>
    requirePermission(current.actor, [tokenPermission('DELETE', type)]),
  );
}

/** Revokes a token of one project. A token of several projects needs the permission on the instance. */
export async function revokeProjectToken(current: Change, project: string, key: ApiTokenKey): Promise<void> {
  await revoke(current, key, ({ projects }) => {
    if (!projects.includes(project)) throw notFound('This API token');
    if (projects.length > 1) {
      throw invalidOperation(
        'This token is also for other projects. Revoke it with DELETE /api/admin/api-tokens/:token.',
      );
    }
  });
}

async function revoke(
  { tx, actor, record }: Change,
  key: ApiTokenKey,
  check: (token: ApiToken) => void,
): Promise<void> {
  const token = await lockToken(tx, actor, key);
  if (!token) throw notFound('This API token');
  check(token);
  await markRevoked(tx, token.id);
  record({ type: 'api-token-deleted', ...scopeOf(token), preData: apiTokenEventData(token) });
}

/** Revokes the tokens that are only for this project. Runs before the project is deleted. */
export async function revokeTokensOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const token of await revokeTokensOf(tx, project)) {
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: apiTokenEventData(token) });
  }
}
