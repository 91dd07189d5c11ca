import { storableText } from '../../../../plane/src/platform/text.ts';

const MAX_DEPTH = 50;

class TooLarge extends Error {}

/**
 * A copy that a jsonb column accepts, or undefined if its JSON has more than about `max` characters. Values below 50 levels become an
 * ellipsis, because JSON.stringify and PostgreSQL overflow their stack on a body of 5,000 opening brackets.
 */
export function storableJson(value: object, max: number): object | undefined {
  let left = max;
  const spend = (characters: number) => {
    left -= characters;
    if (left < 0) throw new TooLarge();
  };
  const text = (one: string): string => {
    spend(one.length + 2);
    return storableText(one);
  };
  const copy = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) {
      spend(4);
      return one;
    }
    if (depth > MAX_DEPTH) return text('…');
    spend(2);
    if (Array.isArray(one)) return one.map(item => copy(item, depth + 1));
    return Object.fromEntries(Object.entries(one).map(([key, item]) => [text(key), copy(item, depth + 1)]));
  };
  try {
    return copy(value, 0) as object;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}
