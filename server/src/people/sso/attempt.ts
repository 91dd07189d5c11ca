import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../../../plane/src/platform/token.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Keyring, seal, unseal } from '../../platform/secrets/seal.ts';
import { SsoError } from './failures.ts';
import { insertFinished, isUnfinished } from './store.ts';

/** A login in progress at the provider. The browser stores it encrypted, so that unfinished logins take no space here. */
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

/** The attempt of this browser, if it has this state, is not finished and not expired. */
export async function openAttempt(
  db: Reader,
  keyring: Keyring,
  sealed: string | undefined,
  state: string | undefined,
): Promise<SsoAttempt> {
  const attempt = sealed === undefined ? undefined : decrypt(keyring, sealed);
  if (!attempt || state === undefined || !isSame(attempt.state, state)) throw unknownAttempt();
  if (!(await isUnfinished(db, hashToken(attempt.state), new Date(attempt.expiresAt))))
    throw unknownAttempt();
  return attempt;
}

/** The path to open after the login of this browser, whatever its state. */
export const returnPathOf = (keyring: Keyring, sealed: string | undefined): string | undefined =>
  sealed === undefined ? undefined : decrypt(keyring, sealed)?.returnTo;

/** Marks the attempt as finished. Only one of several concurrent logins with one attempt succeeds, on all servers. */
export async function finishAttempt(tx: Tx, { state, expiresAt }: SsoAttempt): Promise<void> {
  if (!(await insertFinished(tx, hashToken(state), new Date(expiresAt)))) throw unknownAttempt();
}

/** Undefined for a value that this server did not encrypt, or whose key was removed. */
function decrypt(keyring: Keyring, sealed: string): SsoAttempt | undefined {
  try {
    return JSON.parse(unseal(keyring, CONTEXT, Buffer.from(sealed, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(hashToken(one), hashToken(other));

const unknownAttempt = (): SsoError =>
  new SsoError(
    'expired',
    'AuthenticationRequired',
    `This login was started in a different browser, is already finished, or took longer than ${ATTEMPT_MINUTES} minutes. Start again: /auth/oidc/login.`,
  );
