import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../access/token.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { type Keyring, seal, unseal } from '../../platform/secrets/seal.ts';
import { insertFinished, isUnfinished } from './store.ts';

/** A login on its way to the provider and back. The browser keeps it, sealed: nothing is stored for who does not log in. */
export type Attempt = { state: string; nonce: string; verifier: string; returnTo: string; expiresAt: number };

export const ATTEMPT_MINUTES = 10;

const PLACE = 'sso:attempt';

export const sealAttempt = (keyring: Keyring, attempt: Attempt): string =>
  Buffer.from(seal(keyring, PLACE, JSON.stringify(attempt))).toString('base64url');

/** The attempt that this browser began and that the state belongs to, unless it is over. */
export async function takeBack(
  db: Reader,
  keyring: Keyring,
  sealed: string | undefined,
  state: string | undefined,
): Promise<Attempt> {
  const attempt = sealed === undefined ? undefined : open(keyring, sealed);
  if (!attempt || state === undefined || !isSame(attempt.state, state)) throw unknown();
  if (!(await isUnfinished(db, hashToken(attempt.state), new Date(attempt.expiresAt)))) throw unknown();
  return attempt;
}

/** Part of the login that the attempt was for. Of several with one attempt, on any servers, one gets past this. */
export async function finishAttempt(tx: Tx, { state, expiresAt }: Attempt): Promise<void> {
  if (!(await insertFinished(tx, hashToken(state), new Date(expiresAt)))) throw unknown();
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
