import { needs } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { asEventData, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import type { ApiToken } from './schema.ts';
import { lockToken, markRevoked, revokeTokensOf, type TokenKey } from './store.ts';

/** Revokes a token. No server caches tokens, so it is refused everywhere from the commit on. */
export async function revokeApiToken(db: Db, actor: Actor, key: TokenKey): Promise<void> {
  await revoke(db, actor, key, token => needs(actor, [tokenPermission('DELETE', token.type)]));
}

/** Revokes a token of a project; one that other projects use too is for those who may do so everywhere. */
export async function revokeProjectToken(
  db: Db,
  actor: Actor,
  project: string,
  key: TokenKey,
): Promise<void> {
  await revoke(db, actor, key, ({ projects }) => {
    if (!projects.includes(project)) throw notFound('This API token');
    if (projects.length > 1) {
      throw invalidOperation(
        'Other projects use this token too; it is not for this project alone to revoke.',
      );
    }
  });
}

async function revoke(db: Db, actor: Actor, key: TokenKey, refuse: (token: ApiToken) => void): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const token = await lockToken(tx, actor, key);
    if (!token) throw notFound('This API token');
    refuse(token);
    await markRevoked(tx, token.id);
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
  });
}

/** Part of a change that deletes a project, before it is gone: its tokens would reach nothing afterwards. */
export async function revokeTokensOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const token of await revokeTokensOf(tx, project)) {
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
  }
}
