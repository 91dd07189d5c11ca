import { expect, test } from 'vitest';
import { contentsOf, exportOf } from './words.ts';

test('counts what an export contains, without what it lacks', () => {
  const data = {
    features: [{ name: 'a' }, { name: 'b' }],
    featureStrategies: [{ featureName: 'a', name: 'default' }],
    segments: [],
    tagTypes: [{ name: 'simple' }],
  };

  expect(contentsOf(data)).toEqual(['2 flags', '1 strategy', '1 tag type']);
});

test.each([
  ['{', 'not JSON'],
  ['null', 'not an export'],
  ['[]', 'not an export'],
  ['{"features":[]}', 'not an export'],
])('rejects %s', (text, problem) => {
  expect(exportOf(text)).toEqual({ problem: expect.stringContaining(problem) });
});

test('accepts an export', () => {
  const data = { features: [], featureStrategies: [] };

  expect(exportOf(JSON.stringify(data))).toEqual({ data });
});
