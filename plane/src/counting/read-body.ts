/** A feature cannot have a longer name. Names of variants, applications and instances are cut. */
export const MAX_FEATURE_NAME = 100;
const MAX_TEXT = 200;
/** The maximum count of one feature in one body. The sum of a billion such bodies fits into a bigint. */
const MAX_COUNT = 1_000_000_000;

const HOUR_MS = 3_600_000;
const MAX_LATE_MS = 24 * HOUR_MS;
const MAX_EARLY_MS = 300_000;

/** A string that PostgreSQL can store, or undefined for anything else. */
export const textOf = (value: unknown, most = MAX_TEXT): string | undefined =>
  typeof value === 'string' && value !== '' ? storable(value, most) : undefined;

/** The start of a string. PostgreSQL rejects NUL and unpaired surrogates, and cutting can leave one. */
export const storable = (text: string, most: number): string =>
  text.slice(0, most).toWellFormed().replaceAll('\0', '\ufffd');

/** A count as SDKs send it. Everything else is 0. */
export function countOf(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.floor(value), MAX_COUNT);
}

/** The time of a bucket in milliseconds, from a string or a number. A time from a wrong clock is replaced with the current time. */
export function timeOf(value: unknown, now: number): number {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time)) return now;
  return Math.min(Math.max(time, now - MAX_LATE_MS), now + MAX_EARLY_MS);
}

export const hourOf = (time: number): number => Math.floor(time / HOUR_MS);

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
