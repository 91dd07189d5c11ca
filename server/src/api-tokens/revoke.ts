import { needs } from '../access/guard.ts';
import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { asEventData, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import { lockToken, markRevoked, revokeOrphans, type TokenKey } from './store.ts';

/** Revokes a token. No server caches tokens, so it is refused everywhere from the commit on. */
export async function revokeApiToken(db: Db, actor: Actor, key: TokenKey): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const token = await lockToken(tx, key);
    if (!token) throw notFound('This API token');
    needs(actor, [tokenPermission('DELETE', token.type)]);
    await markRevoked(tx, token.id);
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
  });
}

/** Part of a change that deletes projects. */
export async function revokeTokensWithoutProject({ tx, record }: Change): Promise<void> {
  for (const token of await revokeOrphans(tx)) {
    record({ type: 'api-token-deleted', ...scopeOf(token), preData: asEventData(token) });
  }
}
