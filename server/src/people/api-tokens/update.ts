import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { apiTokenEventData, NO_EXPIRY, scopeOf } from './create.ts';
import { tokenPermission } from './permission.ts';
import type { ApiToken, ApiTokenUpdate } from './schema.ts';
import { type ApiTokenKey, lockToken, updateExpiry } from './store.ts';

/** Changes when a token expires. */
export async function updateApiToken(
  { tx, actor, record }: Change,
  key: ApiTokenKey,
  input: ApiTokenUpdate,
): Promise<ApiToken> {
  const before = await lockToken(tx, actor, key);
  if (!before) throw notFound('This API token');
  requirePermission(actor, [tokenPermission('UPDATE', before.type)]);

  if (before.type === 'edge' && input.expiresAt !== null) throw badData([NO_EXPIRY]);
  await updateExpiry(tx, before.id, input.expiresAt);
  const after = (await lockToken(tx, actor, key)) ?? before;
  if (after.expiresAt !== before.expiresAt) {
    record({
      type: 'api-token-updated',
      ...scopeOf(after),
      data: apiTokenEventData(after),
      preData: apiTokenEventData(before),
    });
  }
  return after;
}
