import { requirePermission } from '../../access/guard.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { asEventData, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import type { ApiToken } from './schema.ts';
import { lockToken, markRevoked, revokeTokensOf, type TokenKey } from './store.ts';

/** Revokes a token. No server caches tokens, so all servers reject it from the commit on. */
export async function revokeApiToken(current: Change, key: TokenKey): Promise<void> {
  await revoke(current, key, ({ type }) =>
    requirePermission(current.actor, [tokenPermission('DELETE', type)]),
  );
}

/** Revokes a token of one project. A token of several projects needs the permission on the instance. */
export async function revokeProjectToken(current: Change, project: string, key: TokenKey): Promise<void> {
  await revoke(current, key, ({ projects }) => {
    if (!projects.includes(project)) throw notFound('This API token');
    if (projects.length > 1) {
      throw invalidOperation(
        'Other projects use this token too; it is not for this project alone to revoke.',
      );
    }
  });
}

async function revoke(
  { tx, actor, record }: Change,
  key: TokenKey,
  check: (token: ApiToken) => void,
): Promise<void> {
  const token = await lockToken(tx, actor, key);
  if (!token) throw notFound('This API token');
  check(token);
  await markRevoked(tx, token.id);
  record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
}

/** Part of a change that deletes a project, before it is gone: its tokens would reach nothing afterwards. */
export async function revokeTokensOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const token of await revokeTokensOf(tx, project)) {
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
  }
}
