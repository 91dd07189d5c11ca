import type { AdminLogins } from './queries.ts';

export type Lockout = { isBlocked: boolean; title: string; message: string };

const nameOf = ({ username, name, email }: AdminLogins['admins'][number]): string =>
  username ?? name ?? email ?? 'an admin';

/** According to the methods that would remain. */
const REMEDIES = {
  singleSignOn: 'Keep passwords enabled until an admin has logged in with single sign-on.',
  password: 'Keep single sign-on enabled until an admin has a password.',
  none: 'Set up single sign-on first, and log in with it as an admin.',
};

/**
 * What the login methods mean for admins: nothing, a warning about those who could not log in, or a block if none could.
 * An admin counts for single sign-on only after a login with it, because only that proves that the provider knows them.
 */
export function lockoutOf(
  { admins, total, password, singleSignOn }: AdminLogins,
  methods: { password: boolean; singleSignOn: boolean },
): Lockout | undefined {
  if ((methods.password ? password : 0) + (methods.singleSignOn ? singleSignOn : 0) === 0)
    return {
      isBlocked: true,
      title: 'No admin could log in afterwards.',
      message: REMEDIES[methods.singleSignOn ? 'singleSignOn' : methods.password ? 'password' : 'none'],
    };
  const without = admins.filter(
    one => !(methods.password && one.password) && !(methods.singleSignOn && one.singleSignOn),
  );
  if (without.length === 0) return undefined;
  const names = without.slice(0, 3).map(nameOf).join(', ');
  const more = without.length > 3 ? ` and ${without.length - 3} more` : '';
  return {
    isBlocked: false,
    title:
      methods.singleSignOn && !methods.password
        ? 'Keep passwords enabled for now.'
        : 'Not every admin can log in.',
    message: `Of ${total} admins, ${names}${more} ${without.length === 1 ? 'has' : 'have'} not logged in with single sign-on and could be locked out.`,
  };
}
