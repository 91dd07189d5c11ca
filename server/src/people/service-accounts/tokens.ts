import { notFound } from '@halyard/plane/platform/errors.ts';
import { requireFutureExpiry } from '../../access/expiry.ts';
import type { Change } from '../../record/change.ts';
import { issueAccountToken, revokeAccountToken, tokenEventData } from '../users/personal-tokens.ts';
import type { NewServiceToken, PersonalToken } from '../users/schema.ts';
import { findPersonalToken, updatePersonalTokenExpiry } from '../users/store.ts';
import type { ServiceAccountTokenUpdate } from './schema.ts';
import { lockServiceAccount } from './store.ts';

/**
 * Creates a token that acts as the service account. Only the returned value contains the secret, because the database stores a
 * hash.
 */
export async function createServiceToken(
  current: Change,
  accountId: number,
  input: NewServiceToken,
): Promise<PersonalToken> {
  const account = await lockServiceAccount(current.tx, accountId);
  if (!account) throw notFound(`Service account ${accountId}`);
  const token = await issueAccountToken(current, accountId, 'service', input);
  const data = { ...tokenEventData(token), username: account.username };
  current.record({ type: 'service-account-token-created', data });
  return token;
}

/** Changes when a token of a service account expires. */
export async function updateServiceToken(
  { tx, record }: Change,
  accountId: number,
  tokenId: number,
  { expiresAt }: ServiceAccountTokenUpdate,
): Promise<PersonalToken> {
  requireFutureExpiry(expiresAt);
  const account = await lockServiceAccount(tx, accountId);
  if (!account) throw notFound(`Service account ${accountId}`);
  // The lock on the account also prevents concurrent changes to its tokens.
  const tokenBefore = await findPersonalToken(tx, accountId, tokenId);
  if (!tokenBefore) throw notFound(`Token ${tokenId}`);
  const tokenAfter = await updatePersonalTokenExpiry(tx, tokenId, expiresAt);
  if (tokenAfter.expiresAt !== tokenBefore.expiresAt) {
    const { username } = account;
    record({
      type: 'service-account-token-updated',
      data: { ...tokenEventData(tokenAfter), username },
      preData: { ...tokenEventData(tokenBefore), username },
    });
  }
  return tokenAfter;
}

/** Deletes a token of a service account. */
export async function removeServiceToken(current: Change, accountId: number, tokenId: number): Promise<void> {
  const account = await lockServiceAccount(current.tx, accountId);
  if (!account) throw notFound(`Service account ${accountId}`);
  const token = await revokeAccountToken(current, accountId, tokenId);
  const preData = { ...tokenEventData(token), username: account.username };
  current.record({ type: 'service-account-token-deleted', preData });
}
