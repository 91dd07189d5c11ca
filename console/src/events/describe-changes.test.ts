import { expect, test } from 'vitest';
import { describePath, formatValue } from '../ui/diff.ts';
import { describeEventChanges } from './describe-changes.ts';

test('describes a new strategy by its type and its parameters, without empty fields', () => {
  const strategy = {
    name: 'flexibleRollout',
    title: null,
    parameters: { rollout: '25', groupId: 'checkout' },
    constraints: [],
    variants: [
      { name: 'a', weight: 250 },
      { name: 'b', weight: 750 },
    ],
    segments: [1],
  };
  const describeEvent = (event: Parameters<typeof describeEventChanges>[0]) =>
    describeEventChanges(event).map(change =>
      'after' in change
        ? [describePath(change.path), change.kind, formatValue(change.after, change.path)]
        : [describePath(change.path), change.kind],
    );

  expect(describeEvent({ type: 'feature-strategy-add', preData: null, data: strategy })).toEqual([
    ['Type', 'added', 'Gradual rollout'],
    ['Rollout', 'added', '25 %'],
    ['Group ID', 'added', 'checkout'],
    ['Variants', 'added', 'a 25 %, b 75 %'],
    ['Segments', 'added', '1'],
  ]);
  expect(describeEvent({ type: 'feature-strategy-remove', preData: strategy, data: null })).toEqual([
    ['Type', 'removed'],
    ['Rollout', 'removed'],
    ['Group ID', 'removed'],
    ['Variants', 'removed'],
    ['Segments', 'removed'],
  ]);
});

test('keeps the name of other subjects, and a list that a change emptied', () => {
  expect(
    describeEventChanges({
      type: 'segment-updated',
      preData: { name: 'default', ids: [1] },
      data: { name: 'x', ids: [] },
    }),
  ).toEqual([
    { path: ['name'], kind: 'changed', before: 'default', after: 'x' },
    { path: ['ids'], kind: 'items', items: [{ text: '1', kind: 'removed' }] },
  ]);
});
