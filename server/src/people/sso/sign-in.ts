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
import { revokeUnproven } from './revoke-unproven.ts';
import { findIdentity, findUserByEmail, lockIdentity, lockSignedIn, saveIdentity } from './store.ts';

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
  const user = await lockSignedIn(tx, userId);
  if (!user) throw deleted();
  if (user.deactivated) throw deactivated();
  if (linked) await revokeUnproven(current, user, identity.key);
  return { userId, secret: await openSession(tx, userId, 'oidc', origin) };
}

/** `linked`: the account already existed, and this login is the first to be matched with it, by email address. */
type FoundAccount = { userId: number; linked: boolean };

/** Finds the account by identity, then by verified email address, or creates one if the settings allow it. */
async function accountOf(
  current: Change,
  { key, email, name }: Identity,
  settings: ActiveOidc,
): Promise<FoundAccount> {
  const known = await findIdentity(current.tx, key);
  if (known && !known.deleted) return { userId: known.userId, linked: false };
  if (email === undefined) throw known ? deleted() : notVerified();
  const user = await findUserByEmail(current.tx, email, key);
  // The provider may reassign an email address to somebody else, who must not get the former owner's account.
  if (user?.isTaken) throw somebodyElse();
  if (user) {
    await saveIdentity(current.tx, key, user.id);
    return { userId: user.id, linked: true };
  }
  if (known) throw deleted();
  requireNewAccountAllowed(email, settings);
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

function requireNewAccountAllowed(email: string, { autoCreate, emailDomains }: ActiveOidc): void {
  if (!autoCreate) throw rejected('no-account', 'No account has your email address.');
  if (!isInDomains(email, emailDomains)) {
    throw rejected(
      'domain',
      'No account has your email address, and its domain is not allowed to create one.',
    );
  }
}

const rejected = (failure: SsoFailure, why: string): SsoError =>
  new SsoError(failure, 'NoAccessError', `${why} Ask an administrator.`);

const deleted = (): SsoError => rejected('deleted', 'Your account was deleted.');

const deactivated = (): SsoError => rejected('deactivated', 'Your account is deactivated.');

const notVerified = (): SsoError =>
  rejected(
    'unverified',
    'The identity provider did not verify your email address, so it cannot identify an account.',
  );

const somebodyElse = (): SsoError =>
  rejected(
    'taken',
    'The account with your email address belongs to a different user of the identity provider.',
  );
