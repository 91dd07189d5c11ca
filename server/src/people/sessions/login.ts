import type { Db } from '../../platform/db/database.ts';
import { hashPassword, isOutdated } from '../../platform/secrets/password-hash.ts';
import { type Checked, checkPassword } from './check-password.ts';
import { type LoginOrigin, openSession } from './open.ts';
import type { LoginRequest } from './schema.ts';
import { type Account, lockAccount, replaceHash } from './store.ts';

export type LoggedIn = { kind: 'in'; account: Account; secret: string } | Exclude<Checked, { kind: 'right' }>;

/** Logs in by password. What the password was checked against must still be there when the session begins. */
export async function logIn(db: Db, input: LoginRequest, origin: LoginOrigin): Promise<LoggedIn> {
  const checked = await checkPassword(db, input.username, input.password, origin.ip);
  if (checked.kind !== 'right') return checked;
  const { account } = checked;
  const secret = await db.transaction().execute(async tx => {
    const now = await lockAccount(tx, account.id);
    if (now?.passwordHash !== account.passwordHash) return undefined;
    return await openSession(tx, account.id, 'password', origin);
  });
  if (secret === undefined) return { kind: 'wrong', reached: [] };
  if (isOutdated(account.passwordHash)) {
    await replaceHash(db, account.id, account.passwordHash, await hashPassword(input.password));
  }
  return { kind: 'in', account, secret };
}
