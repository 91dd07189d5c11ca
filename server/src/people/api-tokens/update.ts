import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { apiTokenEventData, EXPIRY_NOT_ALLOWED, getEventScope } from './create.ts';
import { getTokenPermission } from './permission.ts';
import type { ApiToken, ApiTokenUpdate } from './schema.ts';
import { type ApiTokenKey, lockToken, updateExpiry } from './store.ts';

/** Changes when a token expires. */
export async function updateApiToken(
  { tx, actor, record }: Change,
  key: ApiTokenKey,
  input: ApiTokenUpdate,
): Promise<ApiToken> {
  const tokenBefore = await lockToken(tx, actor, key);
  if (!tokenBefore) throw notFound('This API token');
  requirePermission(actor, [getTokenPermission('UPDATE', tokenBefore.type)]);

  if (tokenBefore.type === 'edge' && input.expiresAt !== null) throw badData([EXPIRY_NOT_ALLOWED]);
  await updateExpiry(tx, tokenBefore.id, input.expiresAt);
  const tokenAfter = (await lockToken(tx, actor, key)) ?? tokenBefore;
  if (tokenAfter.expiresAt !== tokenBefore.expiresAt) {
    record({
      type: 'api-token-updated',
      ...getEventScope(tokenAfter),
      data: apiTokenEventData(tokenAfter),
      preData: apiTokenEventData(tokenBefore),
    });
  }
  return tokenAfter;
}
