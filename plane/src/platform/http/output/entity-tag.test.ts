import { expect, test } from 'vitest';
import { hasEntityTag, readEntityTags } from './entity-tag.ts';

const TAG = '"n4bQgYhMfWWaL-qgxVrQFa"';

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
])('If-None-Match %s matches: %s', (header, expected) => {
  expect(hasEntityTag(header, TAG)).toBe(expected);
});

test.each([
  ['"a"', true],
  ['"a", W/"b"', true],
  ['"a" ,, "b",', true],
  ['"a" "b"', false],
  ['"a""b"', false],
  ['"a"; "b"', false],
  ['a', false],
  [Array(20).fill('"x"').join(), true],
  [Array(21).fill('"x"').join(), false],
])('%s is a valid list of ETags: %s', (header, expected) => {
  expect(readEntityTags(header).isValid).toBe(expected);
});
