import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { hashPassword, isOutdated } from '../../platform/secrets/password-hash.ts';
import { type Checked, checkPassword } from './check-password.ts';
import { type LoginOrigin, openSession } from './open.ts';
import type { LoginRequest } from './schema.ts';
import { type LoginAccount, lockPasswordHash, replaceHash } from './store.ts';

export type LoggedIn =
  | { kind: 'in'; account: LoginAccount; secret: string }
  | Exclude<Checked, { kind: 'correct' }>;

const deactivatedAccount = (): ApiError =>
  new ApiError('NoAccessError', 'Your account is deactivated. Ask an administrator to reactivate it.');

/** Logs in with a password. The session starts only if the compared hash is still that of the user. */
export async function logIn(
  db: Db,
  input: LoginRequest,
  origin: LoginOrigin,
  onBlocked?: () => void,
): Promise<LoggedIn> {
  const checked = await checkPassword(db, input.username, input.password, origin.ip, onBlocked);
  if (checked.kind !== 'correct') return checked;
  const { account } = checked;
  const secret = await db.transaction().execute(async tx => {
    const locked = await lockPasswordHash(tx, account.id);
    if (locked?.passwordHash !== account.passwordHash) return undefined;
    // Only somebody who knows the password learns this.
    if (locked.deactivated) throw deactivatedAccount();
    return await openSession(tx, account.id, 'password', origin);
  });
  if (secret === undefined) return { kind: 'wrong', reached: [] };
  if (isOutdated(account.passwordHash)) {
    await replaceHash(db, account.id, account.passwordHash, await hashPassword(input.password));
  }
  return { kind: 'in', account, secret };
}
