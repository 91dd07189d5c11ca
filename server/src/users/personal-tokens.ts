import { hashToken, newToken } from '../access/token.ts';
import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { badData, exceedsLimit, notFound } from '../errors.ts';
import { ownerId } from './caller.ts';
import type { NewPersonalToken, PersonalToken } from './schema.ts';
import { deletePersonalToken, insertPersonalToken, lockPersonalTokens } from './store.ts';

export const MAX_PERSONAL_TOKENS = 10;

/** Creates a token that acts as its owner. The answer is the only place where its secret is ever shown. */
export async function createPersonalToken(
  db: Db,
  actor: Actor,
  input: NewPersonalToken,
): Promise<PersonalToken> {
  const userId = ownerId(actor);
  if (Date.parse(input.expiresAt) <= Date.now()) {
    throw badData([{ message: 'expiresAt must lie in the future', path: '/body/expiresAt' }]);
  }
  const secret = newToken('personal', 'user:');
  return await change(db, actor, async ({ tx, record }) => {
    if ((await lockPersonalTokens(tx, userId)) >= MAX_PERSONAL_TOKENS) {
      throw exceedsLimit(`A user has at most ${MAX_PERSONAL_TOKENS} personal tokens. Delete one first.`);
    }
    const token = await insertPersonalToken(tx, { userId, hash: hashToken(secret), ...input });
    record({ type: 'pat-created', data: asEventData(token) });
    return { ...token, secret };
  });
}

export async function removePersonalToken(db: Db, actor: Actor, id: number): Promise<void> {
  const userId = ownerId(actor);
  await change(db, actor, async ({ tx, record }) => {
    const token = await deletePersonalToken(tx, userId, id);
    if (!token) throw notFound(`Personal token ${id}`);
    record({ type: 'pat-deleted', preData: asEventData(token) });
  });
}

function asEventData({ id, description, userId, expiresAt }: PersonalToken): object {
  return { id, description, userId, expiresAt };
}
