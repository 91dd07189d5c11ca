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
