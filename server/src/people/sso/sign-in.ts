import type { Change } from '../../record/change.ts';
import type { ActiveOidc } from '../auth-settings/active-oidc.ts';
import { isInDomains } from '../auth-settings/domains.ts';
import { syncGroups } from '../groups/sync.ts';
import { type LoginOrigin, openSession } from '../sessions/open.ts';
import { createUser } from '../users/create.ts';
import { finishAttempt } from './attempt.ts';
import type { ConfirmedLogin } from './callback.ts';
import type { Identity } from './claims.ts';
import { SsoError, type SsoFailure } from './failures.ts';
import { revokeUnprovenCredentials } from './revoke-unproven.ts';
import { findIdentity, findUserByEmail, lockIdentity, lockSignedInUser, saveIdentity } from './store.ts';

/** Finds or creates the account of an identity that the provider confirmed, and opens a session. An attempt works once. */
export async function signIn(
  current: Change,
  { attempt, identity, settings }: ConfirmedLogin,
  origin: LoginOrigin,
): Promise<{ userId: number; secret: string }> {
  const { tx } = current;
  await finishAttempt(tx, attempt);
  await lockIdentity(tx, identity.key);
  const { userId, isNewlyLinked } = await findOrCreateAccount(current, identity, settings);
  if (identity.groups) await syncGroups(current, userId, identity.groups);
  // The user is locked after the groups are synced, because a change that deletes a user locks the admins before the user.
  const user = await lockSignedInUser(tx, userId);
  if (!user) throw deletedAccount();
  if (user.deactivated) throw deactivatedAccount();
  if (isNewlyLinked) await revokeUnprovenCredentials(current, user, identity.key);
  return { userId, secret: await openSession(tx, userId, 'oidc', origin) };
}

/** An account. It is newly linked if it already existed and this login is the first to match it by email address. */
type FoundAccount = { userId: number; isNewlyLinked: boolean };

/** Finds the account by identity, then by verified email address, or creates one if the settings allow it. */
async function findOrCreateAccount(
  current: Change,
  { key, email, name }: Identity,
  settings: ActiveOidc,
): Promise<FoundAccount> {
  const knownIdentity = await findIdentity(current.tx, key);
  if (knownIdentity && !knownIdentity.deleted) return { userId: knownIdentity.userId, isNewlyLinked: false };
  if (email === undefined) throw knownIdentity ? deletedAccount() : unverifiedEmail();
  const user = await findUserByEmail(current.tx, email, key);
  // The provider may reassign an email address to somebody else, who must not get the former owner's account.
  if (user?.isTaken) throw takenEmail();
  if (user) {
    await saveIdentity(current.tx, key, user.id);
    return { userId: user.id, isNewlyLinked: true };
  }
  if (knownIdentity) throw deletedAccount();
  requireNewAccountAllowed(email, settings);
  const newUser = await createUser(current, {
    name,
    username: null,
    email,
    rootRole: settings.defaultRoleId,
    passwordHash: null,
  });
  await saveIdentity(current.tx, key, newUser.id);
  return { userId: newUser.id, isNewlyLinked: false };
}

function requireNewAccountAllowed(email: string, { autoCreate, emailDomains }: ActiveOidc): void {
  if (!autoCreate) throw accountRejection('no-account', 'No account has your email address.');
  if (!isInDomains(email, emailDomains)) {
    throw accountRejection(
      'domain',
      'No account has your email address, and new accounts are not allowed for that email domain.',
    );
  }
}

const accountRejection = (failure: SsoFailure, why: string): SsoError =>
  new SsoError(failure, 'NoAccessError', `${why} Ask an administrator.`);

const deletedAccount = (): SsoError => accountRejection('deleted', 'Your account was deleted.');

const deactivatedAccount = (): SsoError => accountRejection('deactivated', 'Your account is deactivated.');

const unverifiedEmail = (): SsoError =>
  accountRejection(
    'unverified',
    'The identity provider did not verify your email address, so it cannot identify an account.',
  );

const takenEmail = (): SsoError =>
  accountRejection(
    'taken',
    'The account with your email address belongs to a different user of the identity provider.',
  );
