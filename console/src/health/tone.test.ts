import { expect, test } from 'vitest';
import { healthTone } from './tone.ts';

test.each([
  [100, 'on'],
  [80, 'on'],
  [79, 'warn'],
  [75, 'warn'],
  [50, 'warn'],
  [49, 'bad'],
  [0, 'bad'],
])('a score of %i is shown as "%s"', (score, tone) => {
  expect(healthTone(score)).toBe(tone);
});
