/** How many failed logins are let through, by what they are counted by, before further ones are refused unseen. */
export const LOGIN_LIMITS = {
  /** One account at one address. */
  place: { failures: 5, minutes: 15 },
  /** One address, whatever the accounts. */
  address: { failures: 20, minutes: 15 },
  /** One account, whatever the addresses. */
  account: { failures: 100, minutes: 60 },
} as const;

export type LimitScope = keyof typeof LOGIN_LIMITS;

/** How long an address stays one where a user is known after logging in from it. */
export const KNOWN_FOR_DAYS = 90;

/** How long a deleted token is remembered, so that its use is noticed. */
export const REVOKED_FOR_DAYS = 365;

/** At most so many sessions of a user; a further login ends the one that was not used for the longest time. */
export const MAX_SESSIONS = 20;

/** A login that is blocked is answered no sooner: neither at once nor after a hash, which would tell who is known where. */
export const BLOCKED_MS = 300;
