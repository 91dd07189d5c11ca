import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '@halyard/plane/platform/token.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Keyring, seal, unseal } from '../../platform/secrets/seal.ts';
import { SsoError } from './failures.ts';
import { insertFinishedAttempt, isUnfinishedAttempt } from './store.ts';

/**
 * A login in progress at the provider. The browser stores it encrypted, so that unfinished logins take no space in the database.
 */
export type SsoAttempt = {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  expiresAt: number;
};

export const ATTEMPT_MINUTES = 10;

const CONTEXT = 'sso:attempt';

export const sealAttempt = (keyring: Keyring, attempt: SsoAttempt): string =>
  Buffer.from(seal(keyring, CONTEXT, JSON.stringify(attempt))).toString('base64url');

/** Decrypts this browser's attempt. Rejects an attempt that has a different state, has finished or has expired. */
export async function openAttempt(
  db: Reader,
  keyring: Keyring,
  sealed: string | undefined,
  state: string | undefined,
): Promise<SsoAttempt> {
  const attempt = sealed === undefined ? undefined : decrypt(keyring, sealed);
  if (!attempt || state === undefined || !isSame(attempt.state, state)) throw unknownAttempt();
  if (!(await isUnfinishedAttempt(db, hashToken(attempt.state), new Date(attempt.expiresAt))))
    throw unknownAttempt();
  return attempt;
}

/** Returns the path to open after this browser's login, even if the attempt has finished or expired. */
export const readReturnPath = (keyring: Keyring, sealed: string | undefined): string | undefined =>
  sealed === undefined ? undefined : decrypt(keyring, sealed)?.returnTo;

/**
 * Marks the attempt as finished. If an attempt is used for several concurrent logins, only one of them succeeds, across all
 * servers.
 */
export async function finishAttempt(tx: Tx, { state, expiresAt }: SsoAttempt): Promise<void> {
  if (!(await insertFinishedAttempt(tx, hashToken(state), new Date(expiresAt)))) throw unknownAttempt();
}

/** Returns undefined for a value that this server did not encrypt, or whose key was removed. */
function decrypt(keyring: Keyring, sealed: string): SsoAttempt | undefined {
  try {
    return JSON.parse(unseal(keyring, CONTEXT, Buffer.from(sealed, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(hashToken(a), hashToken(b));

const unknownAttempt = (): SsoError =>
  new SsoError(
    'expired',
    'AuthenticationRequired',
    `This login was started in a different browser, is already finished, or took longer than ${ATTEMPT_MINUTES} minutes. Start again: /auth/oidc/login.`,
  );
