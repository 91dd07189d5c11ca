import { badData } from '../../../../plane/src/platform/errors.ts';
import { hashToken, hintOf, newToken } from '../../../../plane/src/platform/token.ts';
import type { Change } from '../../record/change.ts';
import type { NewSignupToken, SignupToken } from './schema.ts';
import { findSignupToken, insertSignupToken } from './store.ts';

const YEAR_MS = 365 * 86_400_000;

/** Creates a link with which people sign up as Viewer. Only the returned value has the secret. */
export async function createSignupToken(
  { tx, actor, record }: Change,
  input: NewSignupToken,
  publicUrl: string,
): Promise<SignupToken> {
  const expiresAt = checkExpiry(input.expiresAt);
  const secret = newToken('signup', '');
  const id = await insertSignupToken(tx, {
    hash: hashToken(secret),
    hint: hintOf(secret),
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
  const left = Date.parse(expiresAt) - Date.now();
  if (left > 0 && left <= YEAR_MS) return expiresAt;
  throw badData([
    {
      message: `expiresAt must be in the future and within a year, not "${expiresAt}"`,
      path: '/body/expiresAt',
    },
  ]);
}

/** The data of a signup link in events. No secret, and no users: each signup has its own event. */
export function signupEventData({ id, name, enabled, expiresAt, role }: SignupToken): object {
  return { id, name, enabled, expiresAt, rootRole: role.id };
}
