import { describe, expect, test } from 'vitest';
import {
  distributeWeights,
  findDisallowedProblems,
  findParameterProblems,
  findProblems,
  getInitialParameters,
  listOperators,
  newConstraint,
  newDraft,
  sortByUse,
  splitValues,
  withField,
  withOperator,
} from './draft.ts';

const variant = (name: string, weight: number, weightType: 'fix' | 'variable' = 'variable') => ({
  name,
  weight,
  weightType,
});

describe('problems that prevent saving', () => {
  test('a new draft has no problems', () => {
    expect(findProblems(newDraft('a'))).toEqual([]);
  });
  test('reports a constraint without a value', () => {
    const draft = {
      ...newDraft('a'),
      constraints: [{ contextName: 'plan', operator: 'IN' as const, values: [] }],
    };
    expect(findProblems(draft)).toEqual(['Enter a value for plan.']);
  });
  test.each(['', '33.5', '101', '-1'])('reports the invalid rollout "%s"', rollout => {
    const draft = newDraft('a');
    expect(findProblems({ ...draft, parameters: { ...draft.parameters, rollout } })).toEqual([
      'The rollout must be a whole number from 0 to 100.',
    ]);
  });
  test('reports two variants with the same name, and weights that do not add up', () => {
    const draft = { ...newDraft('a'), variants: [variant('x', 500), variant('x', 400)] };
    expect(findProblems(draft)).toEqual([
      'Two variants have the same name.',
      'The variant weights add up to 90 %. They must add up to 100 %.',
    ]);
  });
  test('reports values that a context field does not allow', () => {
    const plan = { name: 'plan', legalValues: [{ value: 'team' }] };
    const constraint = { contextName: 'plan', operator: 'IN' as const };

    expect(findDisallowedProblems([{ ...constraint, values: ['team'] }], [plan])).toEqual([]);
    expect(findDisallowedProblems([{ ...constraint, values: ['team', 'gold'] }], [plan])).toEqual([
      'Remove the values that are not allowed for plan.',
    ]);
  });
  test('reports a variant without a weight', () => {
    const variants = distributeWeights([variant('x', Number.NaN, 'fix'), variant('y', 0)]);
    expect(variants.map(({ weight }) => weight)).toEqual([Number.NaN, 1000]);
    expect(findProblems({ ...newDraft('a'), variants })).toEqual(['Every variant needs a weight.']);
  });
});

test('a payload that does not match its type prevents saving', () => {
  const withPayload = (type: 'string' | 'json' | 'csv' | 'number', value: string) =>
    findProblems({ ...newDraft('a'), variants: [{ ...variant('x', 1000), payload: { type, value } }] });

  expect(withPayload('json', '{"a":1,}')).toEqual(['Payload of variant x: Enter valid JSON.']);
  expect(withPayload('number', 'ten')).toEqual(['Payload of variant x: Enter a number.']);
  expect(withPayload('number', ' ')).toHaveLength(1);
  expect(withPayload('json', '{"a":1}')).toEqual([]);
  expect(withPayload('number', '-1.5')).toEqual([]);
  expect(withPayload('string', '')).toEqual([]);
});

test('variable variants share the weight that fixed variants leave', () => {
  const listWeights = (variants: ReturnType<typeof variant>[]) =>
    distributeWeights(variants).map(({ weight }) => weight);
  expect(listWeights([variant('a', 0), variant('b', 0), variant('c', 0)])).toEqual([334, 333, 333]);
  expect(listWeights([variant('a', 200, 'fix'), variant('b', 0), variant('c', 0)])).toEqual([200, 400, 400]);
  expect(listWeights([variant('a', 1000, 'fix'), variant('b', 5)])).toEqual([1000, 0]);
  expect(distributeWeights([])).toEqual([]);
});

test('offers only the operators that fit the field', () => {
  expect(listOperators({ name: 'plan', legalValues: [{ value: 'free' }] })).toEqual(['IN', 'NOT_IN']);
  expect(listOperators({ name: 'currentTime', legalValues: [] })).toEqual(['DATE_AFTER', 'DATE_BEFORE']);
  expect(listOperators(undefined)).toContain('SEMVER_GT');
});

test('a constraint keeps the values that its new operator accepts', () => {
  const list = { contextName: 'plan', operator: 'IN' as const, values: ['a', 'b'], inverted: true };
  expect(withOperator(list, 'STR_CONTAINS')).toEqual({ ...list, operator: 'STR_CONTAINS' });
  expect(withOperator(list, 'NUM_EQ')).toEqual({
    contextName: 'plan',
    operator: 'NUM_EQ',
    value: 'a',
    inverted: true,
  });
  expect(withOperator({ contextName: 'age', operator: 'NUM_EQ', value: '4' }, 'IN').values).toEqual(['4']);
});

test('a constraint keeps only the values that its new field accepts', () => {
  const list = { contextName: 'userId', operator: 'NOT_IN' as const, values: ['a', 'b'] };
  expect(withField(list, { name: 'email', legalValues: [] })).toEqual({ ...list, contextName: 'email' });
  expect(withField(list, { name: 'plan', legalValues: [{ value: 'b' }] })).toEqual({
    ...list,
    contextName: 'plan',
    values: ['b'],
  });
  const date = { contextName: 'currentTime', operator: 'DATE_AFTER' as const, value: '2026-01-01T00:00:00Z' };
  expect(withField(date, { name: 'country', legalValues: [] })).toEqual({
    contextName: 'country',
    operator: 'IN',
    values: [],
  });
});

test('splits pasted text into values without duplicates', () => {
  expect(splitValues('a, b;c\r\nd\te\n\na', ['b', 'z'])).toEqual(['b', 'z', 'a', 'c', 'd', 'e']);
  expect(splitValues(Array.from({ length: 500 }, (_, index) => `user-${index}`).join('\n'))).toHaveLength(
    500,
  );
});

const parameter = (
  name: string,
  type: 'string' | 'percentage' | 'list' | 'number' | 'boolean',
  required = false,
) => ({
  name,
  type,
  required,
  description: '',
});
const TYPES = [
  { name: 'default', parameters: [] },
  {
    name: 'byRegion',
    parameters: [
      parameter('regions', 'list', true),
      parameter('share', 'percentage'),
      parameter('weight', 'number'),
      parameter('strict', 'boolean'),
      parameter('note', 'string'),
    ],
  },
];

test('a new strategy starts with the default parameters of its type', () => {
  expect(getInitialParameters('byRegion', TYPES)).toEqual({
    regions: '',
    share: '100',
    weight: '',
    strict: 'false',
    note: '',
  });
  expect(getInitialParameters('default', TYPES)).toEqual({});
});

test('missing and invalid parameters prevent saving', () => {
  const problemsWith = (parameters: Record<string, string>) =>
    findParameterProblems({ name: 'byRegion', parameters }, TYPES);
  expect(problemsWith({})).toEqual(['Enter a value for regions.']);
  expect(problemsWith({ regions: 'eu', share: '101', weight: 'x' })).toEqual([
    'Enter a number from 0 to 100 for share.',
    'Enter a number for weight.',
  ]);
  expect(problemsWith({ regions: 'eu', share: '33.5', weight: '-1' })).toEqual([]);
});

test('the most used context fields come first, and the first one is the default of a new constraint', () => {
  const fields = [
    { name: 'userId', usedInFeatures: 0 },
    { name: 'plan', usedInFeatures: 7 },
    { name: 'appName', usedInFeatures: 0 },
    { name: 'country', usedInFeatures: 12 },
  ].map(field => ({ ...field, legalValues: [] }));

  expect(sortByUse(fields).map(({ name }) => name)).toEqual(['country', 'plan', 'appName', 'userId']);
  expect(newConstraint(fields).contextName).toBe('country');
});
