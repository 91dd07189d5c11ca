import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import {
  changeAccountTokenExpiry,
  issueAccountToken,
  revokeAccountToken,
  tokenEventData,
} from '../users/personal-tokens.ts';
import type { NewServiceToken, PersonalToken } from '../users/schema.ts';
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
  current: Change,
  accountId: number,
  tokenId: number,
  { expiresAt }: ServiceAccountTokenUpdate,
): Promise<PersonalToken> {
  const account = await lockServiceAccount(current.tx, accountId);
  if (!account) throw notFound(`Service account ${accountId}`);
  const [before, after] = await changeAccountTokenExpiry(current, accountId, tokenId, expiresAt);
  if (after.expiresAt !== before.expiresAt) {
    const { username } = account;
    current.record({
      type: 'service-account-token-updated',
      data: { ...tokenEventData(after), username },
      preData: { ...tokenEventData(before), username },
    });
  }
  return after;
}

/** Deletes a token of a service account. */
export async function removeServiceToken(current: Change, accountId: number, tokenId: number): Promise<void> {
  const account = await lockServiceAccount(current.tx, accountId);
  if (!account) throw notFound(`Service account ${accountId}`);
  const token = await revokeAccountToken(current, accountId, tokenId);
  const preData = { ...tokenEventData(token), username: account.username };
  current.record({ type: 'service-account-token-deleted', preData });
}
