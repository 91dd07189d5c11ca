import { ApiError } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isOfDomain } from '../auth-settings/domains.ts';
import { syncGroups } from '../groups/sync.ts';
import { type LoginOrigin, openSession } from '../sessions/open.ts';
import { createUser } from '../users/create.ts';
import { finishAttempt } from './attempt.ts';
import type { ConfirmedLogin } from './callback.ts';
import type { Identity } from './claims.ts';
import { revokeUnproven } from './revoke-unproven.ts';
import { findIdentity, findUserByEmail, lockIdentity, lockUser, saveIdentity } from './store.ts';

/** Finds or creates the account of an identity that the provider confirmed, and opens a session. An attempt works once. */
export async function signIn(
  current: Change,
  { attempt, identity, settings }: ConfirmedLogin,
  origin: LoginOrigin,
): Promise<{ userId: number; secret: string }> {
  const { tx } = current;
  await finishAttempt(tx, attempt);
  await lockIdentity(tx, identity.key);
  const { userId, linked } = await accountOf(current, identity, settings);
  if (identity.groups) await syncGroups(current, userId, identity.groups);
  // After the groups: a change that deletes a user locks the admins before the user.
  const user = await lockUser(tx, userId);
  if (!user) throw deleted();
  if (linked) await revokeUnproven(current, user, identity.key);
  return { userId, secret: await openSession(tx, userId, 'oidc', origin) };
}

/** Linked: an account that was there before has been found by its address, which is proven only now. */
type FoundAccount = { userId: number; linked: boolean };

/** By who they are to the provider; only then by an address it vouches for; or a new one, if that is wanted. */
async function accountOf(
  current: Change,
  { key, email, name }: Identity,
  settings: ActiveOidc,
): Promise<FoundAccount> {
  const known = await findIdentity(current.tx, key);
  if (known && !known.deleted) return { userId: known.userId, linked: false };
  if (email === undefined) throw known ? deleted() : notVerified();
  const user = await findUserByEmail(current.tx, email, key);
  // An address can be given to somebody else; the account that was opened with it is not theirs.
  if (user?.taken) throw somebodyElse();
  if (user) {
    await saveIdentity(current.tx, key, user.id);
    return { userId: user.id, linked: true };
  }
  if (known) throw deleted();
  refuseNewAccount(email, settings);
  const created = await createUser(current, {
    name,
    username: null,
    email,
    rootRole: settings.defaultRoleId,
    passwordHash: null,
  });
  await saveIdentity(current.tx, key, created.id);
  return { userId: created.id, linked: false };
}

function refuseNewAccount(email: string, { autoCreate, emailDomains }: ActiveOidc): void {
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
