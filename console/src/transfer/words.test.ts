import { expect, test } from 'vitest';
import { describeContents, describeFinding, findSourceEnvironment, parseExport } from './words.ts';

test('counts the contents of an export, and omits empty lists', () => {
  const data = {
    features: [{ name: 'a' }, { name: 'b' }],
    featureStrategies: [{ featureName: 'a', name: 'default' }],
    segments: [],
    tagTypes: [{ name: 'simple' }],
  };

  expect(describeContents(data)).toEqual(['2 flags', '1 strategy', '1 tag type']);
});

test.each([
  ['{', 'not JSON'],
  ['null', 'not an export'],
  ['[]', 'not an export'],
  ['{"features":[]}', 'not an export'],
])('rejects %s, which is not an export', (text, problem) => {
  expect(parseExport(text)).toEqual({ problem: expect.stringContaining(problem) });
});

test('accepts an export', () => {
  const data = { features: [], featureStrategies: [] };

  expect(parseExport(JSON.stringify(data))).toEqual({ data });
});

test.each([
  [['production', 'production'], 'production'],
  [['production', 'staging'], undefined],
  [[undefined], undefined],
  [[], undefined],
])('finds the environment of an export whose flags name the environments %j', (environments, source) => {
  const featureEnvironments = environments.map((environment, n) => ({
    featureName: `flag-${n}`,
    enabled: true,
    environment,
  }));

  expect(findSourceEnvironment({ features: [], featureStrategies: [], featureEnvironments })).toBe(source);
});

test('says what to do about flags of a different project, in the words of the console', () => {
  const message =
    'Features with these names exist in a different project, so they can only be cloned or moved from there';

  expect(describeFinding(message)).toMatch(
    /^Flags with .* Import into that project .* move them from there\.$/,
  );
  expect(describeFinding('These feature types do not exist')).toBe('These feature types do not exist');
});
