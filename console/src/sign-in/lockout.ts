import type { AdminLogins } from './queries.ts';

export type Lockout = { isBlocked: boolean; title: string; message: string };

const getDisplayName = ({ username, name, email }: AdminLogins['admins'][number]): string =>
  username ?? name ?? email ?? 'an admin';

/** The remedies, by the method that would remain. */
const REMEDIES = {
  singleSignOn: 'Keep passwords enabled until an admin has logged in with single sign-on.',
  password: 'Keep single sign-on enabled until an admin has a password.',
  none: 'Set up single sign-on first, and log in with it as an admin.',
};

/**
 * Warns about admins who could not log in with these methods, and blocks the change if no admin could. For single sign-on, an admin
 * counts only after logging in with it, because only such a login proves that the provider knows the admin.
 */
export function findLockout(
  { admins, total, password, singleSignOn }: AdminLogins,
  methods: { password: boolean; singleSignOn: boolean },
): Lockout | undefined {
  if ((methods.password ? password : 0) + (methods.singleSignOn ? singleSignOn : 0) === 0)
    return {
      isBlocked: true,
      title: 'No admin could log in afterwards.',
      message: REMEDIES[methods.singleSignOn ? 'singleSignOn' : methods.password ? 'password' : 'none'],
    };
  const lockedOutAdmins = admins.filter(
    admin => !(methods.password && admin.password) && !(methods.singleSignOn && admin.singleSignOn),
  );
  if (lockedOutAdmins.length === 0) return undefined;
  const names = lockedOutAdmins.slice(0, 3).map(getDisplayName).join(', ');
  const moreText = lockedOutAdmins.length > 3 ? ` and ${lockedOutAdmins.length - 3} more` : '';
  return {
    isBlocked: false,
    title:
      methods.singleSignOn && !methods.password
        ? 'Keep passwords enabled for now.'
        : 'Not every admin can log in.',
    message: `Of ${total} admins, ${names}${moreText} ${lockedOutAdmins.length === 1 ? 'has' : 'have'} not logged in with single sign-on and could be locked out.`,
  };
}
