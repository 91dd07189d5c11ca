import { badData } from '@halyard/plane/platform/errors.ts';
import { getTokenHint, hashToken, newToken } from '@halyard/plane/platform/token.ts';
import type { Change } from '../../record/change.ts';
import type { NewSignupToken, SignupToken } from './schema.ts';
import { findSignupToken, insertSignupToken } from './store.ts';

const YEAR_MS = 365 * 86_400_000;

/**
 * Creates a link that people use to sign up as Viewer. Only the returned value contains the secret, because the database stores a
 * hash.
 */
export async function createSignupToken(
  { tx, actor, record }: Change,
  input: NewSignupToken,
  publicUrl: string,
): Promise<SignupToken> {
  const expiresAt = checkExpiry(input.expiresAt);
  const secret = newToken('signup', '');
  const id = await insertSignupToken(tx, {
    hash: hashToken(secret),
    hint: getTokenHint(secret),
    name: input.name,
    expiresAt,
    createdByUserId: actor.userId,
  });
  const token = await findSignupToken(tx, { id });
  if (!token) throw new Error(`Signup token ${id} is missing in the transaction that created it`);
  record({ type: 'public-signup-token-created', data: signupEventData(token) });
  return { ...token, secret, url: `${publicUrl}/new-user?token=${secret}&invite=true` };
}

export function checkExpiry(expiresAt: string): string {
  const remainingMs = Date.parse(expiresAt) - Date.now();
  if (remainingMs > 0 && remainingMs <= YEAR_MS) return expiresAt;
  throw badData([
    {
      message: `expiresAt must be in the future and within a year, not "${expiresAt}"`,
      path: '/body/expiresAt',
    },
  ]);
}

/**
 * Returns the signup link as events show it, without the secret, and without the users, because each signup is recorded in its
 * own event.
 */
export function signupEventData({ id, name, enabled, expiresAt, role }: SignupToken): object {
  return { id, name, enabled, expiresAt, rootRole: role.id };
}
