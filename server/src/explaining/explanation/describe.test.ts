import { describe, expect, test } from 'vitest';
import { describeConstraint, describeDependency, describeEvaluation } from './describe.ts';

const constraint = (operator: string, fields: object = {}) => ({
  contextName: 'field',
  operator,
  values: ['a', 'b'],
  value: '7',
  result: false,
  actual: 'x',
  ...fields,
});

describe('a constraint', () => {
  test.each([
    ['IN', 'on "field" requires one of "a", "b". The context has "x".'],
    ['NOT_IN', 'on "field" requires a value other than "a", "b". The context has "x".'],
    ['STR_CONTAINS', 'on "field" requires a string that contains one of "a", "b". The context has "x".'],
    [
      'STR_STARTS_WITH',
      'on "field" requires a string that starts with one of "a", "b". The context has "x".',
    ],
    ['STR_ENDS_WITH', 'on "field" requires a string that ends with one of "a", "b". The context has "x".'],
    ['NUM_EQ', 'on "field" requires a number equal to 7. The context has "x".'],
    ['NUM_LTE', 'on "field" requires a number less than or equal to 7. The context has "x".'],
    ['SEMVER_GT', 'on "field" requires a version greater than 7. The context has "x".'],
    ['REGEX', 'on "field" requires a string that matches the pattern "7". The context has "x".'],
    ['IN_CIDR', 'on "field" requires an IP address in one of "a", "b". The context has "x".'],
    ['DATE_BEFORE', 'on the time requires a time before 7. The time is x.'],
    ['MOON_PHASE', 'has the unknown operator MOON_PHASE.'],
  ])('with %s is described', (operator, sentence) => {
    expect(describeConstraint(constraint(operator))).toBe(sentence);
  });

  test('that is inverted excludes values', () => {
    expect(describeConstraint(constraint('IN', { inverted: true }))).toBe(
      'on "field" excludes one of "a", "b". The context has "x".',
    );
  });

  test('names the field if the context has no value', () => {
    expect(describeConstraint(constraint('IN', { actual: null }))).toBe(
      'on "field" requires one of "a", "b". The context has no "field".',
    );
  });

  test('shows only the beginning of a long value and the first few of many values', () => {
    const values = Array.from({ length: 7 }, (_, index) => `v${index}`);

    expect(describeConstraint(constraint('IN', { values, actual: 'y'.repeat(61) }))).toBe(
      `on "field" requires one of "v0", "v1", "v2", "v3", "v4" and 2 more. The context has "${'y'.repeat(60)}…".`,
    );
  });
});

const dependency = (fields: object) => ({
  feature: 'parent',
  requires: 'enabled' as const,
  variants: [],
  state: 'disabled' as const,
  variant: 'disabled',
  result: false,
  ...fields,
});

test.each([
  [{}, 'Parent "parent" must be enabled. It is disabled.'],
  [{ requires: 'disabled', state: 'enabled' }, 'Parent "parent" must be disabled. It is enabled.'],
  [{ state: 'missing' }, 'Parent "parent" does not exist in environment "test".'],
  [{ state: 'has-parent' }, 'Parent "parent" depends on another flag. SDKs support one level of parents.'],
  [
    { state: 'enabled', variants: ['blue', 'red'], variant: 'green' },
    'Parent "parent" must serve variant "blue" or "red". It serves "green".',
  ],
])('a parent %j is described', (fields, sentence) => {
  expect(describeDependency(dependency(fields), 'test')).toBe(sentence);
});

test.each([
  [['first'], 'parent "first" does'],
  [['first', 'second'], 'parents "first", "second" do'],
])('the first sentence says what the parents %j mean for the flag', (names, subject) => {
  const evaluation = {
    reason: 'parent',
    dependencies: [
      ...names.map(feature => dependency({ feature })),
      dependency({ feature: 'satisfied', result: true }),
    ],
    strategies: [],
  } as unknown as Parameters<typeof describeEvaluation>[0];

  expect(describeEvaluation(evaluation, 'test', [])[0]).toBe(
    `The flag is disabled because ${subject} not meet the requirement.`,
  );
});
