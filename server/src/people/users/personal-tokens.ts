import { refusePast } from '../../access/expiry.ts';
import { isStillValid } from '../../access/still-valid.ts';
import { hashToken, newToken } from '../../access/token.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { authenticationRequired, exceedsLimit, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { ownerId } from './caller.ts';
import type { NewPersonalToken, PersonalToken } from './schema.ts';
import {
  deletePersonalToken,
  deletePersonalTokensOf,
  insertPersonalToken,
  lockPersonalTokens,
} from './store.ts';

export const MAX_PERSONAL_TOKENS = 10;

/** Creates a token that acts as its owner. The answer is the only place where its secret is ever shown. */
export async function createPersonalToken(
  db: Db,
  actor: Actor,
  input: NewPersonalToken,
): Promise<PersonalToken> {
  const userId = ownerId(actor);
  return await change(db, actor, async ({ tx, record }) => {
    const token = await issueToken(tx, userId, 'personal', input);
    // After the lock on the user: a credential revoked while the request ran must not leave a new one behind.
    if (!(await isStillValid(tx, actor))) throw authenticationRequired();
    record({ type: 'pat-created', data: asEventData(token) });
    return token;
  });
}

export async function removePersonalToken(db: Db, actor: Actor, id: number): Promise<void> {
  const userId = ownerId(actor);
  await change(db, actor, async ({ tx, record }) => {
    record({ type: 'pat-deleted', preData: asEventData(await withdrawToken(tx, userId, id)) });
  });
}

/** Part of a change that gives a user or a service account a token; the limit counts for both. */
export async function issueToken(
  tx: Tx,
  userId: number,
  kind: 'personal' | 'service',
  input: NewPersonalToken,
): Promise<PersonalToken> {
  refusePast(input.expiresAt);
  if ((await lockPersonalTokens(tx, userId)) >= MAX_PERSONAL_TOKENS) {
    throw exceedsLimit(`There are at most ${MAX_PERSONAL_TOKENS} tokens for each owner. Delete one first.`);
  }
  const secret = newToken(kind, 'user:');
  const token = await insertPersonalToken(tx, { userId, hash: hashToken(secret), ...input });
  return { ...token, secret };
}

/** Part of a change that takes a token from its owner. */
export async function withdrawToken(tx: Tx, userId: number, id: number): Promise<PersonalToken> {
  const token = await deletePersonalToken(tx, userId, id);
  if (!token) throw notFound(`Token ${id}`);
  return token;
}

/** Part of a change that takes all personal tokens from a user; returns how many there were. */
export async function withdrawTokensOf({ tx, record }: Change, userId: number): Promise<number> {
  const tokens = await deletePersonalTokensOf(tx, userId);
  for (const token of tokens) record({ type: 'pat-deleted', preData: asEventData(token) });
  return tokens.length;
}

export function asEventData({ id, description, userId, expiresAt }: PersonalToken): object {
  return { id, description, userId, expiresAt };
}
