import { isExpired, isExpiringSoon } from '../api-tokens/words.ts';

const DAY_MS = 86_400_000;
export const LIFETIME_DAYS = [7, 30, 90, 365];
export const CUSTOM_EXPIRY = 'custom';

/** What a user chose: a number of days, or `CUSTOM_EXPIRY` with a date such as `2027-01-31`. */
export type Expiry = { days: string; date: string };

/** Returns the time after the given number of days. */
export const daysFromNow = (days: number, now = Date.now()): string =>
  new Date(now + days * DAY_MS).toISOString();

/** Whether the user has yet to enter the date. */
export const isIncomplete = ({ days, date }: Expiry): boolean => days === CUSTOM_EXPIRY && date === '';

/** Returns the time that the user chose. A date begins at midnight in the user's time zone. */
export const toExpiresAt = ({ days, date }: Expiry, now = Date.now()): string =>
  days === CUSTOM_EXPIRY ? new Date(`${date}T00:00`).toISOString() : daysFromNow(Number(days), now);

/** Returns the date in the user's time zone. `toExpiresAt` turns it into midnight of that day. */
export function toExpiry(expiresAt: string): Expiry {
  const time = new Date(expiresAt);
  const localTime = Date.parse(expiresAt) - time.getTimezoneOffset() * 60_000;
  return { days: CUSTOM_EXPIRY, date: new Date(localTime).toISOString().slice(0, 10) };
}

/**
 * Returns the expiry of a replacement token, which is that of the old token. If the old token has expired or expires soon, the
 * replacement is valid for as long as the old token was.
 */
export function toReplacementExpiry(
  token: { createdAt: string; expiresAt: string },
  now = Date.now(),
): Expiry {
  if (!isExpired(token, now) && !isExpiringSoon(token, now)) return toExpiry(token.expiresAt);
  const lifetimeMs = Date.parse(token.expiresAt) - Date.parse(token.createdAt);
  return toExpiry(new Date(now + lifetimeMs).toISOString());
}
