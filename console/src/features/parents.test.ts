import { expect, test } from 'vitest';
import { blocksOf } from './parents.ts';

const parent = (name: string, enabled: boolean) =>
  ({ name, environments: [{ name: 'production', enabled }] }) as Parameters<typeof blocksOf>[1][number];
const requires = (feature: string, enabled: boolean) => ({ feature, enabled, variants: [] });

test.each([
  ['a disabled parent that must be enabled', true, false, ['payments']],
  ['an enabled parent that must be disabled', false, true, ['payments']],
  ['an enabled parent that must be enabled', true, true, []],
  ['a disabled parent that must be disabled', false, false, []],
])('%s', (_, required, enabled, blocking) => {
  const blocks = blocksOf([requires('payments', required)], [parent('payments', enabled)], 'production');
  expect(blocks.map(one => one.parent)).toEqual(blocking);
});

test('a parent that is not loaded blocks nothing, and one without the environment is disabled there', () => {
  expect(blocksOf([requires('payments', true)], [], 'production')).toEqual([]);
  expect(blocksOf([requires('payments', true)], [parent('payments', true)], 'staging')).toHaveLength(1);
});
