import { expect, test } from 'vitest';
import { copyNameOf, isShortened, MAX_NAME } from './form.ts';

test.each([
  ['checkout', 'checkout-copy', false],
  ['x'.repeat(95), `${'x'.repeat(95)}-copy`, false],
  ['x'.repeat(96), `${'x'.repeat(95)}-copy`, true],
  ['x'.repeat(100), `${'x'.repeat(95)}-copy`, true],
])('proposes a name for a copy of %s that fits', (name, expected, shortened) => {
  expect(copyNameOf(name)).toBe(expected);
  expect(expected.length).toBeLessThanOrEqual(MAX_NAME);
  expect(isShortened(name)).toBe(shortened);
});
