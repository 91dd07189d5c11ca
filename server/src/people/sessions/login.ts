import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { hashPassword, isOutdated } from '../../platform/secrets/password-hash.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { type LoginOrigin, openSession } from './open.ts';
import type { LoginRequest } from './schema.ts';
import { type LoginAccount, lockPasswordHash, replaceHash } from './store.ts';

export type LoginResult =
  | { kind: 'logged-in'; account: LoginAccount; secret: string }
  | Exclude<PasswordCheck, { kind: 'correct' }>;

const deactivatedAccount = (): ApiError =>
  new ApiError('NoAccessError', 'Your account is deactivated. Ask an administrator to reactivate it.');

/** Logs in with a password. The session starts only if the compared hash is still the user's hash. */
export async function logIn(
  db: Db,
  input: LoginRequest,
  origin: LoginOrigin,
  onBlocked?: () => void,
): Promise<LoginResult> {
  const check = await checkPassword(db, input.username, input.password, origin.ip, onBlocked);
  if (check.kind !== 'correct') return check;
  const { account } = check;
  const secret = await db.transaction().execute(async tx => {
    const lockedUser = await lockPasswordHash(tx, account.id);
    if (lockedUser?.passwordHash !== account.passwordHash) return undefined;
    // The password is checked first, so that only somebody who knows it learns that the account is deactivated.
    if (lockedUser.deactivated) throw deactivatedAccount();
    return await openSession(tx, account.id, 'password', origin);
  });
  if (secret === undefined) return { kind: 'wrong', reachedLimits: [] };
  if (isOutdated(account.passwordHash))
    await replaceHash(db, account.id, account.passwordHash, await hashPassword(input.password));
  return { kind: 'logged-in', account, secret };
}
