import { ellipsize } from '@halyard/plane/platform/text.ts';

/** The maximum length of a user-written string in a result. */
const MAX_TEXT_LENGTH = 200;

/** Line breaks, and invisible characters: control characters, direction marks, joiners, tags. */
const SEPARATORS = /[\n\r\t\u2028\u2029]+/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;

/** Puts a string on one line and removes characters that hide or reorder others. */
const makeVisible = (text: string): string => text.replace(SEPARATORS, ' ').replace(INVISIBLE, '');

/**
 * Makes a user-written string visible and short for a model. The model reads it next to its instructions, so the string must
 * be recognizable as data.
 */
export const sanitizeText = (text: string): string => ellipsize(makeVisible(text), MAX_TEXT_LENGTH);

/**
 * Fields that the server writes itself, which may be longer. An error message can quote what a caller sent, so hidden characters
 * are removed from these fields too. A plan and a URL contain none.
 */
const SERVER_FIELDS: ReadonlySet<string> = new Set(['plan', 'message', 'hint', 'url']);

/** Returns a result in which every string is sanitized for a model. Empty fields are omitted, because each field costs tokens. */
export function sanitize<T>(value: T, key = ''): T {
  if (typeof value === 'string')
    return (SERVER_FIELDS.has(key) ? makeVisible(value) : sanitizeText(value)) as T;
  if (Array.isArray(value)) return value.map(item => sanitize(item, key)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .map(([name, item]) => [sanitizeText(name), sanitize(item, name)]),
  ) as T;
}

/** Quotes a name for a line of text and escapes the quotes in it. */
export const quoteName = (text: string): string => JSON.stringify(sanitizeText(text));

/**
 * The budget for a list, in characters. A result should stay below about 1,500 tokens, or 6,000 characters. The rest is for
 * everything around the list.
 */
const MAX_LIST_CHARACTERS = 4_000;

/** Returns the first items that fit in a result. */
export function takeFittingItems<T>(items: readonly T[], budget = MAX_LIST_CHARACTERS): T[] {
  let remaining = budget;
  const fitting: T[] = [];
  for (const item of items) {
    remaining -= JSON.stringify(sanitize(item)).length + 1;
    if (remaining < 0 && fitting.length > 0) break;
    fitting.push(item);
  }
  return fitting;
}
