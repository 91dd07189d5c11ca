import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { asEventData, issueToken, withdrawToken } from '../users/personal-tokens.ts';
import type { NewPersonalToken, PersonalToken } from '../users/schema.ts';
import { lockServiceAccount } from './store.ts';

/** Creates a token that acts as the account. The answer is the only place where its secret is ever shown. */
export async function createServiceToken(
  db: Db,
  actor: Actor,
  accountId: number,
  input: NewPersonalToken,
): Promise<PersonalToken> {
  return await change(db, actor, async ({ tx, record }) => {
    const account = await lockServiceAccount(tx, accountId);
    if (!account) throw notFound(`Service account ${accountId}`);
    const token = await issueToken(tx, accountId, 'service', input);
    const data = { ...asEventData(token), username: account.username };
    record({ type: 'service-account-token-created', data });
    return token;
  });
}

export async function removeServiceToken(
  db: Db,
  actor: Actor,
  accountId: number,
  tokenId: number,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const account = await lockServiceAccount(tx, accountId);
    if (!account) throw notFound(`Service account ${accountId}`);
    const token = await withdrawToken(tx, accountId, tokenId);
    const preData = { ...asEventData(token), username: account.username };
    record({ type: 'service-account-token-deleted', preData });
  });
}
