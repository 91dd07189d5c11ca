import { toStorableText } from '@halyard/plane/platform/text.ts';

const MAX_DEPTH = 50;

class TooLargeError extends Error {}

/**
 * Returns a copy that a jsonb column accepts, or undefined if its JSON has more than about `max` characters. Replaces values nested
 * more than 50 levels deep with an ellipsis, because 5,000 opening brackets would overflow the stack of JSON.stringify and of
 * PostgreSQL.
 */
export function toStorableJson(value: object, max: number): object | undefined {
  let remaining = max;
  const spend = (characters: number) => {
    remaining -= characters;
    if (remaining < 0) throw new TooLargeError();
  };
  const copyText = (characters: string): string => {
    spend(characters.length + 2);
    return toStorableText(characters);
  };
  const copy = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return copyText(part);
    if (typeof part !== 'object' || part === null) {
      spend(4);
      return part;
    }
    if (depth > MAX_DEPTH) return copyText('…');
    spend(2);
    if (Array.isArray(part)) return part.map(item => copy(item, depth + 1));
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [copyText(key), copy(item, depth + 1)]),
    );
  };
  try {
    return copy(value, 0) as object;
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}
