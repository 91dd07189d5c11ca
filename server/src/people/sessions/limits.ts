/** The number of failed logins after which further logins are blocked, by scope. */
export const LOGIN_LIMITS = {
  /** One account from one IP address. */
  place: { failures: 5, minutes: 15 },
  /** One IP address, all accounts. */
  address: { failures: 20, minutes: 15 },
  /** One account, all IP addresses. */
  account: { failures: 100, minutes: 60 },
} as const;

export type LimitScope = keyof typeof LOGIN_LIMITS;

/** How long a network stays known after the user has logged in from there. */
export const KNOWN_NETWORK_DAYS = 90;

/** How long the hash of a revoked token is stored, so that uses of the token are still counted. */
export const REVOKED_TOKEN_DAYS = 365;

/** The maximum number of sessions of a user. One more login ends the least recently used session. */
export const MAX_SESSIONS = 20;

/** The minimum duration of a blocked login, so that the time does not reveal whether a hash was computed. */
export const MIN_BLOCKED_RESPONSE_MS = 300;
