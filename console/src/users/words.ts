import { formatDate } from '../ui/time.ts';
import { getDisplayName, type NamedUser } from '../ui/words.ts';
import type { User } from './queries.ts';

export { getDisplayName };

/** Returns what the user logs in with, which appears below the name. */
export const getLogin = (user: NamedUser): string =>
  [user.email, user.username].find(login => login && login !== getDisplayName(user)) ?? '';

type SignIn = Pick<User, 'hasPassword' | 'hasSingleSignOn' | 'invitedUntil'>;

/** Returns whether the user has not logged in yet, but has a link that still works. */
export const isInvited = ({ invitedUntil, seenAt }: User): boolean =>
  invitedUntil !== null && seenAt === null;

/** Describes how the user logs in, or when the invitation expires. */
export function describeSignIn({ hasPassword, hasSingleSignOn, invitedUntil }: SignIn): string {
  if (hasSingleSignOn) return hasPassword ? 'Password, SSO' : 'Single sign-on';
  if (hasPassword) return 'Password';
  return invitedUntil === null ? 'No password yet' : `Link expires ${formatDate(invitedUntil)}`;
}

const DAY_MS = 86_400_000;
export const INACTIVE_DAYS = 90;

/** Whether an account that is not deactivated was last used, or created if it was never used, more than 90 days ago. */
export const isInactive = ({ seenAt, createdAt, deactivatedAt }: User, now = Date.now()): boolean =>
  deactivatedAt === null && now - Date.parse(seenAt ?? createdAt) > INACTIVE_DAYS * DAY_MS;
