/** The login page's messages for `/login?failed=…`, by the reason that the server gives. */
export const SSO_FAILURES: Record<string, string> = {
  disabled: 'Single sign-on is disabled. Log in with a password, or ask an admin to enable single sign-on.',
  address: 'The login URL was invalid. Start the login again from this page.',
  expired:
    'The login took longer than 10 minutes, was already completed, or started in a different browser. Start it again from this page.',
  cancelled:
    'The login was cancelled, or the identity provider does not let you use Halyard. Try again, or ask an admin for access.',
  unconfirmed: 'The identity provider did not confirm the login. Start it again from this page.',
  method:
    'Halyard requires a different login method at the identity provider, such as a second factor. Log in again with that method, or ask an admin which one is required.',
  'no-account': 'No account has your email address. Ask an admin to create one.',
  domain:
    'No account has your email address, and new accounts are not allowed for that email domain. Ask an admin to create an account for you.',
  deleted: 'Your account was deleted. Ask an admin to create a new one.',
  deactivated: 'Your account is deactivated. Ask an admin to reactivate it.',
  unverified:
    'The identity provider has not verified your email address. Verify it there and log in again, or ask an admin.',
  taken:
    'The account with your email address belongs to a different user of the identity provider. Ask an admin to check the account.',
  rejected:
    'The server rejected the login. Ask an admin to check your groups and the single sign-on settings.',
  throttled: 'Too many logins from your network have failed.',
  provider:
    'The identity provider does not respond, or does not accept this server. Try again in a moment. If it fails again, ask an admin to check the single sign-on settings.',
  unavailable: 'The server is not available at the moment. Try again in a few seconds.',
  logout:
    'You are logged out of Halyard. The identity provider does not respond, so you may still be logged in there. Log out there too.',
  error:
    'The login failed on the server. Try again. If it fails again, ask an admin to look for the error in the server log.',
};

/** Returns the id of an error in the server log. Any other string in the URL is not shown. */
export const parseErrorId = (id: unknown): string | undefined =>
  typeof id === 'string' && /^[\da-f-]{36}$/.test(id) ? id : undefined;

export const parseSeconds = (seconds: unknown): number =>
  typeof seconds === 'string' && /^\d{1,5}$/.test(seconds) ? Number(seconds) : 0;
