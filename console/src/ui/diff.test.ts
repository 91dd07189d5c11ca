import { expect, test } from 'vitest';
import { computeChanges, countUnchanged, describePath, formatValue, pickBriefChanges } from './diff.ts';

test('finds no change between equal states', () => {
  expect(computeChanges({ a: 1, list: ['x'] }, { a: 1, list: ['x'] })).toEqual([]);
});

test('reports a changed, an added and a removed field', () => {
  expect(computeChanges({ a: 1, b: 2 }, { a: 3, c: 4 })).toEqual([
    { path: ['a'], kind: 'changed', before: 1, after: 3 },
    { path: ['c'], kind: 'added', after: 4 },
    { path: ['b'], kind: 'removed', before: 2 },
  ]);
});

test('shows a list as added, unchanged and removed values', () => {
  expect(computeChanges({ values: ['a', 'b'] }, { values: ['b', 'c'] })).toEqual([
    {
      path: ['values'],
      kind: 'items',
      items: [
        { text: 'b', kind: 'same' },
        { text: 'c', kind: 'added' },
        { text: 'a', kind: 'removed' },
      ],
    },
  ]);
});

test('shows a list in a different order as a change', () => {
  expect(computeChanges(['a', 'b'], ['b', 'a'])).toEqual([
    { path: [], kind: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
  ]);
});

test('matches constraints by field rather than by position', () => {
  const constraint = (...values: string[]) => ({ contextName: 'plan', operator: 'IN', values });

  const changes = computeChanges(
    { constraints: [{ contextName: 'country', values: ['de'] }, constraint('team')] },
    { constraints: [constraint('team', 'business'), { contextName: 'country', values: ['de'] }] },
  );

  expect(changes.map(change => [describePath(change.path), change.kind])).toEqual([
    ['Constraint plan', 'items'],
  ]);
});

test('compares the whole list if two constraints are on the same field', () => {
  const before = [
    { contextName: 'version', operator: 'GT' },
    { contextName: 'version', operator: 'LT' },
  ];

  expect(computeChanges({ constraints: before }, { constraints: before.slice(0, 1) })).toEqual([
    { path: ['constraints'], kind: 'changed', before, after: before.slice(0, 1) },
  ]);
});

test.each([
  [['parameters', 'rollout'], 'Rollout'],
  [['constraints', 'plan', 'values'], 'Constraint plan'],
  [['constraints', 'planTier', 'inverted'], 'Constraint planTier inverted'],
  [['impressionData'], 'Impression data'],
  [['values'], 'Values'],
  [['variants'], 'Variants'],
  [['variants', 'red'], 'Variant red'],
])('describes %j as "%s"', (path, label) => {
  expect(describePath(path)).toBe(label);
});

test('formats values for display', () => {
  expect([
    formatValue('50', ['rollout']),
    formatValue(335, ['variants', 'red', 'weight']),
    formatValue(true, ['stale']),
    formatValue({ a: 1 }, ['x']),
    formatValue([], ['constraints']),
  ]).toEqual(['50 %', '33.5 %', 'yes', '{"a":1}', 'none']);
});

test('escapes control and bidi characters in values and paths, and quotes the values of a list', () => {
  expect(formatValue('a\u202Eb', ['title'])).toBe('a\\u202Eb');
  expect(formatValue({ a: '\u202E' }, ['x'])).toBe('{"a":"\\u202E"}');
  expect(formatValue(['a, b', 'c', 4], ['values'])).toBe('"a, b", c, 4');
  expect(describePath(['constraints', 'pl\u202Ean', 'values'])).toBe('Constraint pl\\u202Ean');
});

test('describes variants in words, with their payloads', () => {
  const red = { name: 'red', weight: 335, weightType: 'fix', stickiness: 'default' };
  const blue = { ...red, name: 'a, b', weight: 665, payload: { type: 'json', value: '{"a":"\u202E"}' } };

  expect(formatValue([red, blue], ['variants'])).toBe('red 33.5 %, "a, b" 66.5 % (json: {"a":"\\u202E"})');
  expect(formatValue(red, ['variants', 'red'])).toBe('33.5 %');
  expect(formatValue([{ name: 'red' }], ['variants'])).toBe('[{"name":"red"}]');
  expect(formatValue(red, ['x'])).toBe(JSON.stringify(red));
});

test('picks at most two short changes for a list row', () => {
  const changes = computeChanges({ a: 1, b: 'x'.repeat(40), c: 3, d: 4 }, { a: 2, b: 'y', c: 4, d: 5 });

  expect(pickBriefChanges(changes).map(change => change.path[0])).toEqual(['a', 'c']);
});

test('counts unchanged fields', () => {
  expect(countUnchanged({ a: 1, b: 2 }, { a: 1, b: 3, c: 4 })).toBe(1);
});
