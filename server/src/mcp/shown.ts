import { ellipsize } from '../../../plane/src/platform/text.ts';

/** The longest string of a flag, an event or a person in a result. */
const MAX_TEXT = 200;

/** Line breaks, and characters that a reader does not see: controls, direction marks, joiners, tags. */
const SEPARATORS = /[\n\r\t\u2028\u2029]+/gu;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;

/**
 * A string that somebody wrote, as data: in one line, without characters that hide or reorder others, and short. A model reads it
 * next to its instructions, so it must look like what it is.
 */
export const shownText = (text: string): string =>
  ellipsize(text.replace(SEPARATORS, ' ').replace(UNSEEN, ''), MAX_TEXT);

/** The fields that are ours and can be longer. A plan must come back as it is. */
const OURS: ReadonlySet<string> = new Set(['plan', 'message', 'hint', 'url']);

/** A result with every string as data. Fields without a value are omitted, because each costs tokens. */
export function shown<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (OURS.has(key) ? value : shownText(value)) as T;
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

/** About 1,500 tokens are 6,000 characters. Some of them are for what is around a list. */
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
