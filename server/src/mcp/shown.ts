import { ellipsize } from '../../../plane/src/platform/text.ts';

/** The longest string of a flag, an event or a person in a result. */
const MAX_TEXT = 200;

/** Line breaks, and invisible characters: control characters, direction marks, joiners, tags. */
const SEPARATORS = /[\n\r\t\u2028\u2029]+/gu;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;

/** A string on one line, without characters that hide or reorder others. */
const visible = (text: string): string => text.replace(SEPARATORS, ' ').replace(UNSEEN, '');

/**
 * Prepares a user-written string for a model: visible and short. The model reads it next to its instructions, so the string must
 * be recognizable as data.
 */
export const shownText = (text: string): string => ellipsize(visible(text), MAX_TEXT);

/**
 * Fields that the server writes itself, which may be longer. An error message can quote what a caller sent, so hidden characters
 * are removed from these too; a plan and a URL contain none.
 */
const OURS: ReadonlySet<string> = new Set(['plan', 'message', 'hint', 'url']);

/** A result in which every string is prepared like that. Empty fields are omitted, because each costs tokens. */
export function shown<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (OURS.has(key) ? visible(value) : shownText(value)) as T;
  if (Array.isArray(value)) return value.map(item => shown(item, key)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .map(([name, item]) => [shownText(name), shown(item, name)]),
  ) as T;
}

/** A name in a line of text, in quotes, with its own quotes escaped. */
export const named = (text: string): string => JSON.stringify(shownText(text));

/** A result should stay below about 1,500 tokens, or 6,000 characters. The rest is for everything around the list. */
const LIST_BUDGET = 4_000;

/** The first items that fit into a result. */
export function fitting<T>(items: readonly T[], budget = LIST_BUDGET): T[] {
  let left = budget;
  const fit: T[] = [];
  for (const item of items) {
    left -= JSON.stringify(shown(item)).length + 1;
    if (left < 0 && fit.length > 0) break;
    fit.push(item);
  }
  return fit;
}
