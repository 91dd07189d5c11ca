import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search.ts';

test('reads a repeated parameter as a list, and ignores a repeated value', () => {
  expect(parseSearch('?tag=a&tag=b&tag=a')).toEqual({ tag: ['a', 'b'] });
  expect(parseSearch('?select=all&select=all')).toEqual({ select: 'all' });
});

test('writes the parameters that it reads', () => {
  expect(stringifySearch(parseSearch('?tag=a&tag=b&from=IS:2026-01-01'))).toBe(
    '?tag=a&tag=b&from=IS:2026-01-01',
  );
});
