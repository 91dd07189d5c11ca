import { expect, test } from 'vitest';
import { getHealthTone } from './tone.ts';

test.each([
  [100, 'on'],
  [80, 'on'],
  [79, 'warn'],
  [75, 'warn'],
  [50, 'warn'],
  [49, 'bad'],
  [0, 'bad'],
])('shows a score of %i as "%s"', (score, tone) => {
  expect(getHealthTone(score)).toBe(tone);
});
