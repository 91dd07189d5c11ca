import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { type LoginOrigin, openSession } from '../sessions/open.ts';
import { addUser } from '../users/create.ts';
import { type Attempt, finishAttempt } from './attempt.ts';
import type { Identity } from './claims.ts';
import { isOfDomain } from './domains.ts';
import { syncGroups } from './group-sync.ts';
import type { ActiveSettings } from './provider.ts';
import { revokeUnproven } from './revoke-unproven.ts';
import { findIdentity, findUserByEmail, lockIdentity, lockUser, saveIdentity } from './store.ts';

/** Finds or makes the account of who has proved to the provider who they are, and opens a session: once for an attempt. */
export async function signIn(
  db: Db,
  attempt: Attempt,
  identity: Identity,
  settings: ActiveSettings,
  origin: LoginOrigin,
): Promise<{ userId: number; secret: string }> {
  return await change(db, { ...SYSTEM, ip: origin.ip }, async part => {
    await finishAttempt(part.tx, attempt);
    await lockIdentity(part.tx, identity.key);
    const { userId, linked } = await accountOf(part, identity, settings);
    if (identity.groups) await syncGroups(part, userId, identity.groups);
    // After the groups: who deletes a user takes the lock of the admins first and then the user.
    const user = await lockUser(part.tx, userId);
    if (!user) throw deleted();
    if (linked) await revokeUnproven(part, user, identity.key);
    return { userId, secret: await openSession(part.tx, userId, 'oidc', origin) };
  });
}

/** Linked: an account that was there before has been found by its address, which is proven only now. */
type FoundAccount = { userId: number; linked: boolean };

/** By who they are to the provider; only then by an address it vouches for; or a new one, if that is wanted. */
async function accountOf(
  part: Change,
  { key, email, name }: Identity,
  settings: ActiveSettings,
): Promise<FoundAccount> {
  const known = await findIdentity(part.tx, key);
  if (known && !known.deleted) return { userId: known.userId, linked: false };
  if (email === undefined) throw known ? deleted() : notVerified();
  const user = await findUserByEmail(part.tx, email, key);
  // An address can be given to somebody else; the account that was opened with it is not theirs.
  if (user?.taken) throw somebodyElse();
  if (user) {
    await saveIdentity(part.tx, key, user.id);
    return { userId: user.id, linked: true };
  }
  if (known) throw deleted();
  refuseNewAccount(email, settings);
  const made = await addUser(part, { name, username: null, email }, settings.defaultRoleId, null);
  await saveIdentity(part.tx, key, made.id);
  return { userId: made.id, linked: false };
}

function refuseNewAccount(email: string, { autoCreate, emailDomains }: ActiveSettings): void {
  if (!autoCreate) throw refused('There is no account with your e-mail address.');
  if (!isOfDomain(email, emailDomains)) {
    throw refused('There is no account with your e-mail address, and none is made for its domain.');
  }
}

const refused = (why: string): ApiError => new ApiError('NoAccessError', `${why} Ask an administrator.`);

const deleted = (): ApiError => refused('Your account was deleted.');

const notVerified = (): ApiError =>
  refused(
    'The identity provider does not say that your e-mail address is verified, so no account is found by it.',
  );

const somebodyElse = (): ApiError =>
  refused('The account with your e-mail address belongs to another user of the identity provider.');
