/** Feature names cannot be longer. The names of variants, applications and instances are truncated. */
export const MAX_FEATURE_NAME = 100;
const MAX_TEXT_LENGTH = 200;
/** The maximum count of one feature in one body. The sum of a billion such bodies fits into a bigint. */
const MAX_COUNT = 1_000_000_000;

const HOUR_MS = 3_600_000;
const MAX_LATE_MS = 24 * HOUR_MS;
const MAX_EARLY_MS = 300_000;

/** A string that PostgreSQL can store, or undefined for anything else. */
export const readText = (value: unknown, max = MAX_TEXT_LENGTH): string | undefined =>
  typeof value === 'string' && value !== '' ? toStorable(value, max) : undefined;

/** The start of a string, without what PostgreSQL rejects: NUL, and unpaired surrogates, which truncating can leave behind. */
export const toStorable = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed().replaceAll('\0', '\ufffd');

/** A count that an SDK sent. Invalid values are 0. */
export function readCount(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.floor(value), MAX_COUNT);
}

/** The time of a bucket in milliseconds. An invalid time counts as now. Others are limited to the last 24 hours and next 5 minutes. */
export function readTime(value: unknown, now: number): number {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time)) return now;
  return Math.min(Math.max(time, now - MAX_LATE_MS), now + MAX_EARLY_MS);
}

export const toHour = (time: number): number => Math.floor(time / HOUR_MS);

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
