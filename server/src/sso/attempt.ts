import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '../access/token.ts';
import type { Db } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { type Keyring, seal, unseal } from '../secrets/seal.ts';
import { takeAttempt } from './store.ts';

/** A login on its way to the provider and back. The browser keeps it, sealed: nothing is stored for who never comes back. */
export type Attempt = { state: string; nonce: string; verifier: string; returnTo: string; expiresAt: number };

export const ATTEMPT_MINUTES = 10;

const PLACE = 'sso:attempt';

export const sealAttempt = (keyring: Keyring, attempt: Attempt): string =>
  Buffer.from(seal(keyring, PLACE, JSON.stringify(attempt))).toString('base64url');

/** The attempt that this browser began and that the state belongs to; each is given out once, on one server. */
export async function takeBack(
  db: Db,
  keyring: Keyring,
  sealed: string | undefined,
  state: string | undefined,
): Promise<Attempt> {
  const attempt = sealed === undefined ? undefined : open(keyring, sealed);
  if (!attempt || state === undefined || !isSame(attempt.state, state)) throw unknown();
  if (!(await takeAttempt(db, hashToken(attempt.state), new Date(attempt.expiresAt)))) throw unknown();
  return attempt;
}

/** undefined for what we have not sealed, or with a key that is gone. */
function open(keyring: Keyring, sealed: string): Attempt | undefined {
  try {
    return JSON.parse(unseal(keyring, PLACE, Buffer.from(sealed, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(hashToken(one), hashToken(other));

const unknown = (): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    `This login was not begun in this browser, was finished already, or took longer than ${ATTEMPT_MINUTES} minutes. Begin again: /auth/oidc/login.`,
  );
