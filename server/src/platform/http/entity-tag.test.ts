import { expect, test } from 'vitest';
import { entityTagOf, hasEntityTag } from './entity-tag.ts';

const TAG = entityTagOf({ a: 1 });

test('equal bodies have the same tag, and others have another one', () => {
  expect(TAG).toMatch(/^"[\w-]{22}"$/);
  expect(entityTagOf({ a: 1 })).toBe(TAG);
  expect(entityTagOf({ a: 2 })).not.toBe(TAG);
});

test.each([
  [TAG, true],
  [`W/${TAG}`, true],
  [`"other", W/${TAG}`, true],
  [`${TAG.slice(0, -1)}-gzip"`, true],
  ['*', true],
  [' * ', true],
  ['"other"', false],
  [TAG.slice(1, -1), false],
  [`${TAG.slice(0, -1)}x"`, false],
  [`${'"x",'.repeat(20)}${TAG}`, false],
  ['', false],
  [undefined, false],
])('If-None-Match %s has the tag: %s', (header, expected) => {
  expect(hasEntityTag(header, TAG)).toBe(expected);
});
