import { expect, test } from 'vitest';
import { listModeOptions } from './modes.ts';

const listLabels = (...current: Parameters<typeof listModeOptions>) =>
  listModeOptions(...current).map(({ label }) => label);

test('offers "Protected" only for a project that has it, until a different mode is saved', () => {
  expect(listLabels('open')).toEqual(['Open', 'Private']);
  expect(listLabels('protected')).toEqual(['Open', 'Protected', 'Private']);
  expect(listLabels('protected', 'open')).toEqual(['Open', 'Protected', 'Private']);
});
