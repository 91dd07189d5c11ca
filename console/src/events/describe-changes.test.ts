import { expect, test } from 'vitest';
import { describePath, formatValue } from '../ui/diff.ts';
import { describeEventChanges, mayNameSegments } from './describe-changes.ts';

const SEGMENT_NAMES = new Map([[1, 'Beta users']]);

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
    segments: [1, 7],
  };
  const describeEvent = (event: Parameters<typeof describeEventChanges>[0]) =>
    describeEventChanges(event, SEGMENT_NAMES).map(change =>
      'after' in change
        ? [describePath(change.path), change.kind, formatValue(change.after, change.path)]
        : [describePath(change.path), change.kind],
    );

  expect(describeEvent({ type: 'feature-strategy-add', preData: null, data: strategy })).toEqual([
    ['Type', 'added', 'Gradual rollout'],
    ['Rollout', 'added', '25 %'],
    ['Group ID', 'added', 'checkout'],
    ['Variants', 'added', 'a 25 %, b 75 %'],
    ['Segments', 'added', 'Beta users, segment 7'],
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
    describeEventChanges(
      {
        type: 'segment-updated',
        preData: { name: 'default', segments: [1] },
        data: { name: 'x', segments: [] },
      },
      SEGMENT_NAMES,
    ),
  ).toEqual([
    { path: ['name'], kind: 'changed', before: 'default', after: 'x' },
    { path: ['segments'], kind: 'items', items: [{ text: '1', kind: 'removed' }] },
  ]);
});

test.each([
  {
    before: [1],
    after: [7],
    expected: {
      kind: 'items',
      items: [
        { text: 'segment 7', kind: 'added' },
        { text: 'Beta users', kind: 'removed' },
      ],
    },
  },
  {
    before: [1, 7],
    after: [7, 1],
    expected: { kind: 'changed', before: ['Beta users', 'segment 7'], after: ['segment 7', 'Beta users'] },
  },
])('names the segments of a strategy that change from $before to $after', ({ before, after, expected }) => {
  const changes = describeEventChanges(
    { type: 'feature-strategy-update', preData: { segments: before }, data: { segments: after } },
    SEGMENT_NAMES,
  );

  expect(changes).toEqual([{ path: ['segments'], ...expected }]);
});

test("the names of this server's segments are not used for an event imported from Unleash", () => {
  const importedFrom = { product: 'unleash', id: 3 } as const;

  expect(mayNameSegments({ type: 'feature-strategy-add' })).toBe(true);
  expect(mayNameSegments({ type: 'feature-strategy-add', importedFrom })).toBe(false);
  expect(mayNameSegments({ type: 'segment-updated' })).toBe(false);
});
