import { dateOf } from '../ui/time.ts';
import type { User } from './queries.ts';

type Named = { id: number; name: string | null; username: string | null; email: string | null };

/** What people call a user: the name, or else the username or the email address. */
export const nameOf = ({ id, name, username, email }: Named): string =>
  name || username || email || `User ${id}`;

/** The line below the name: how the user logs in. */
export const loginOf = (user: Named): string =>
  [user.email, user.username].find(one => one && one !== nameOf(user)) ?? '';

type SignIn = Pick<User, 'hasPassword' | 'hasSingleSignOn' | 'invitedUntil'>;

/** Whether somebody created the user, who has not logged in yet and holds a link that works. */
export const isInvited = ({ invitedUntil, seenAt }: User): boolean =>
  invitedUntil !== null && seenAt === null;

/** How the user logs in, or until when they can accept the invitation. */
export function signInOf({ hasPassword, hasSingleSignOn, invitedUntil }: SignIn): string {
  if (hasSingleSignOn) return hasPassword ? 'Password, SSO' : 'Single sign-on';
  if (hasPassword) return 'Password';
  return invitedUntil === null ? 'Cannot log in yet' : `Link expires ${dateOf(invitedUntil)}`;
}

const DAY = 86_400_000;
export const INACTIVE_DAYS = 90;

/** Whether an active user did nothing for 90 days, counted from their creation if they never did anything. */
export const isInactive = ({ seenAt, createdAt, deactivatedAt }: User, now = Date.now()): boolean =>
  deactivatedAt === null && now - Date.parse(seenAt ?? createdAt) > INACTIVE_DAYS * DAY;
