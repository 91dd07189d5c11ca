import { hasControlCharacter } from './text.ts';

/**
 * The filter pattern of the contract, as published. It is quadratic on hostile input (726 ms for 16 kB), so it is
 * never run: the functions below bound the length and parse by hand what it accepts.
 */
export const FILTER_PATTERN = '^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$';
export const DATE_PATTERN = '^(IS):\\d{4}-\\d{2}-\\d{2}$';
export const MAX_FILTER_LENGTH = 4_096;
export const MAX_TEXT_LENGTH = 8_192;

/** What is wrong with one parameter, said after its name: "project must start with IS: or IS_ANY_OF:". */
export class FilterError extends Error {}

/** `IS:a`, `IS_ANY_OF:a,b` and, as existing clients send it, `IS:a,b`. */
export function parseFilter(value: unknown): string[] {
  const text = oneText(value, MAX_FILTER_LENGTH);
  const operator = /^(IS|IS_ANY_OF):/.exec(text)?.[0];
  if (operator === undefined) throw new FilterError('must start with IS: or IS_ANY_OF:');
  const values = text
    .slice(operator.length)
    .split(',')
    .map(item => item.trim());
  if (values.includes('')) throw new FilterError('has an empty value after its operator');
  return values;
}

export function parseIntegerFilter(value: unknown, low: number, high: number): number[] {
  return parseFilter(value).map(text => {
    const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= low && number <= high) return number;
    throw new FilterError(`must hold whole numbers from ${low} to ${high}`);
  });
}

/** `IS:2026-11-15`, a real day; returns the day. */
export function parseDay(value: unknown): string {
  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(oneText(value, MAX_FILTER_LENGTH))?.[1];
  if (day === undefined) throw new FilterError('must be IS: and a day, such as IS:2026-11-15');
  const date = new Date(`${day}T00:00:00Z`);
  const real = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith('0000');
  if (!real) throw new FilterError(`names a day that is not in the calendar: ${day}`);
  return day;
}

export function parseText(value: unknown): string {
  return oneText(value, MAX_TEXT_LENGTH);
}

export function parseCount(value: unknown, low: number, high: number): number {
  const text = oneText(value, MAX_FILTER_LENGTH);
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new FilterError(
    high === Number.POSITIVE_INFINITY
      ? `must be a whole number from ${low}`
      : `must be a whole number from ${low} to ${high}`,
  );
}

function oneText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') throw new FilterError('must be given once');
  if (value.length > maxLength) throw new FilterError(`must have at most ${maxLength} characters`);
  if (hasControlCharacter(value)) throw new FilterError('must not hold control characters');
  return value;
}
