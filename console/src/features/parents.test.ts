import { expect, test } from 'vitest';
import { findBlocks } from './parents.ts';

const parent = (name: string, enabled: boolean) =>
  ({ name, environments: [{ name: 'production', enabled }] }) as Parameters<typeof findBlocks>[1][number];
const dependency = (feature: string, enabled: boolean) => ({ feature, enabled, variants: [] });

test.each([
  ['a disabled parent that must be enabled blocks the flag', true, false, ['payments']],
  ['an enabled parent that must be disabled blocks the flag', false, true, ['payments']],
  ['an enabled parent that must be enabled does not block the flag', true, true, []],
  ['a disabled parent that must be disabled does not block the flag', false, false, []],
])('%s', (_, requiredState, enabled, blockingParents) => {
  const blocks = findBlocks(
    [dependency('payments', requiredState)],
    [parent('payments', enabled)],
    'production',
  );
  expect(blocks.map(block => block.parent)).toEqual(blockingParents);
});

test('a parent that is not loaded blocks nothing, and a parent without the environment counts as disabled there', () => {
  expect(findBlocks([dependency('payments', true)], [], 'production')).toEqual([]);
  expect(findBlocks([dependency('payments', true)], [parent('payments', true)], 'staging')).toHaveLength(1);
});
