import { expect, test } from 'vitest';
import { isSuggestionShortened, MAX_NAME_LENGTH, suggestCopyName } from './form.ts';

test.each([
  ['checkout', 'checkout-copy', false],
  ['x'.repeat(95), `${'x'.repeat(95)}-copy`, false],
  ['x'.repeat(96), `${'x'.repeat(95)}-copy`, true],
  ['x'.repeat(100), `${'x'.repeat(95)}-copy`, true],
])('suggests a name of valid length for a copy of %s', (name, expected, shortened) => {
  expect(suggestCopyName(name)).toBe(expected);
  expect(expected.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
  expect(isSuggestionShortened(name)).toBe(shortened);
});
