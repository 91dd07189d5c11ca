import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@halyard/plane/platform/errors.ts';
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
  const tokenBefore = await lockSignupToken(tx, key);
  if (!tokenBefore) throw notFound('This signup link');
  const tokenAfter = {
    ...tokenBefore,
    enabled: input.enabled ?? tokenBefore.enabled,
    expiresAt: expiresAt === undefined ? tokenBefore.expiresAt : new Date(expiresAt).toISOString(),
  };
  if (isDeepStrictEqual(tokenAfter, tokenBefore)) return tokenBefore;

  await updateSignupToken(tx, tokenAfter);
  record({
    type: 'public-signup-token-updated',
    data: signupEventData(tokenAfter),
    preData: signupEventData(tokenBefore),
  });
  return tokenAfter;
}
