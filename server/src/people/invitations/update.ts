import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { asEventData, checkExpiry } from './create.ts';
import type { SignupToken, SignupTokenUpdate } from './schema.ts';
import { lockSignupToken, type TokenKey, updateSignupToken } from './store.ts';

/** Closes or opens a signup link, or changes when it ends; changing nothing writes nothing. */
export async function changeSignupToken(
  db: Db,
  actor: Actor,
  key: TokenKey,
  input: SignupTokenUpdate,
): Promise<SignupToken> {
  const expiresAt = input.expiresAt === undefined ? undefined : checkExpiry(input.expiresAt);
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockSignupToken(tx, key);
    if (!before) throw notFound('This signup token');
    const after = {
      ...before,
      enabled: input.enabled ?? before.enabled,
      expiresAt: expiresAt === undefined ? before.expiresAt : new Date(expiresAt).toISOString(),
    };
    if (isDeepStrictEqual(after, before)) return before;

    await updateSignupToken(tx, after);
    record({ type: 'public-signup-token-updated', data: asEventData(after), preData: asEventData(before) });
    return after;
  });
}
