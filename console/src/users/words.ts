import { formatDate } from '../ui/time.ts';
import { getDisplayName, type NamedUser } from '../ui/words.ts';
import type { User } from './queries.ts';

export { getDisplayName };

/** Returns the email address or username to show below the name, unless it is shown as the name. */
export const getLogin = (user: NamedUser): string =>
  [user.email, user.username].find(login => login && login !== getDisplayName(user)) ?? '';

type SignIn = Pick<User, 'hasPassword' | 'hasSingleSignOn' | 'invitedUntil'>;

/** Returns whether the user has not logged in yet, but has a link that still works. */
export const isInvited = ({ invitedUntil, seenAt }: User): boolean =>
  invitedUntil !== null && seenAt === null;

/** Returns whether the user needs a link to set a password, unless they use single sign-on. */
export const needsLink = ({ hasPassword, hasSingleSignOn }: SignIn): boolean =>
  !hasPassword && !hasSingleSignOn;

/** Says what a reactivated user can do. */
export const describeReactivation = (name: string, user: SignIn): string =>
  needsLink(user)
    ? `${name} is active again but has no password. Create a new link, unless ${name} uses single sign-on.`
    : `${name} can log in again.`;

/** Describes how the user logs in, or when the invitation expires. */
export function describeSignIn({ hasPassword, hasSingleSignOn, invitedUntil }: SignIn): string {
  if (hasSingleSignOn) return hasPassword ? 'Password, SSO' : 'Single sign-on';
  if (hasPassword) return 'Password';
  return invitedUntil === null ? 'No password yet' : `Link expires ${formatDate(invitedUntil)}`;
}

const DAY_MS = 86_400_000;
export const INACTIVE_DAYS = 90;

/** Whether the user was last seen (or created, if never seen) more than 90 days ago. Deactivated users do not count. */
export const isInactive = ({ seenAt, createdAt, deactivatedAt }: User, now = Date.now()): boolean =>
  deactivatedAt === null && now - Date.parse(seenAt ?? createdAt) > INACTIVE_DAYS * DAY_MS;
