import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { checkExpiry, signupEventData } from './create.ts';
import type { SignupToken, SignupTokenUpdate } from './schema.ts';
import { lockSignupToken, type SignupTokenKey, updateSignupToken } from './store.ts';

/** Enables or disables a signup link, or changes when it expires. */
export async function changeSignupToken(
  { tx, record }: Change,
  key: SignupTokenKey,
  input: SignupTokenUpdate,
): Promise<SignupToken> {
  const expiresAt = input.expiresAt === undefined ? undefined : checkExpiry(input.expiresAt);
  const before = await lockSignupToken(tx, key);
  if (!before) throw notFound('This signup link');
  const after = {
    ...before,
    enabled: input.enabled ?? before.enabled,
    expiresAt: expiresAt === undefined ? before.expiresAt : new Date(expiresAt).toISOString(),
  };
  if (isDeepStrictEqual(after, before)) return before;

  await updateSignupToken(tx, after);
  record({
    type: 'public-signup-token-updated',
    data: signupEventData(after),
    preData: signupEventData(before),
  });
  return after;
}
