import { describe, expect, test } from 'vitest';
import {
  describeConstraint,
  describeConstraints,
  describeRevival,
  describeStrategyAudience,
  formatList,
  selectsEveryone,
  toPlainText,
} from './words.ts';

const segments = new Map([
  [1, 'beta-customers'],
  [2, 'eu-merchants'],
]);
const strategy = { name: 'flexibleRollout', parameters: {}, segments: [], constraints: [] };

describe('the audience of a strategy', () => {
  test.each([
    ['Everyone', { ...strategy, name: 'default' }],
    ['Everyone', { ...strategy, parameters: { rollout: '100' } }],
    ['0 % of users', { ...strategy, parameters: { rollout: '0' } }],
    ['50 % of users', { ...strategy, parameters: { rollout: '50' } }],
    ['25 % of users', { ...strategy, name: 'gradualRolloutUserId', parameters: { percentage: '25' } }],
    ['Everyone in beta-customers', { ...strategy, parameters: { rollout: '100' }, segments: [1] }],
    [
      '50 % of beta-customers and eu-merchants',
      { ...strategy, parameters: { rollout: '50' }, segments: [1, 2] },
    ],
    ['Everyone in a segment', { ...strategy, name: 'default', segments: [7] }],
    ['Users 4 or 5', { ...strategy, name: 'userWithId', parameters: { userIds: '4, 5,' } }],
    ['IP addresses 10.0.0.0/8', { ...strategy, name: 'remoteAddress', parameters: { IPs: '10.0.0.0/8' } }],
    ['Hosts a.example', { ...strategy, name: 'applicationHostname', parameters: { hostNames: 'a.example' } }],
    ['Strategy byTeam', { ...strategy, name: 'byTeam', parameters: { team: 'a' } }],
    [
      'Everyone whose currentTime is after 1 Jan 2026, 08:30:00 UTC',
      {
        ...strategy,
        name: 'default',
        constraints: [
          {
            contextName: 'currentTime',
            operator: 'DATE_AFTER' as const,
            value: '2026-01-01T08:30:00.000Z',
          },
        ],
      },
    ],
    [
      '50 % of users whose plan is team or business and age ≥ 18',
      {
        ...strategy,
        parameters: { rollout: '50' },
        constraints: [
          { contextName: 'plan', operator: 'IN' as const, values: ['team', 'business'] },
          { contextName: 'age', operator: 'NUM_LT' as const, value: '18', inverted: true },
        ],
      },
    ],
  ])('describes the audience as "%s"', (text, strategyFields) => {
    expect(toPlainText(describeStrategyAudience(strategyFields, segments))).toBe(text);
  });
});

test('ends a long list with the number of hidden values', () => {
  expect(formatList([])).toBe('');
  expect(formatList(['a'])).toBe('a');
  expect(formatList(['a', 'b', 'c', 'd'])).toBe('a, b, c or d');
  expect(formatList(Array.from({ length: 1003 }, (_, index) => `v${index}`))).toBe(
    'v0, v1, v2 or 1,000 more',
  );
});

test('makes the field and the values of a constraint bold', () => {
  expect(describeConstraint({ contextName: 'plan', operator: 'NOT_IN', values: ['free'] })).toEqual([
    { text: 'plan', strong: true },
    { text: ' is not ' },
    { text: 'free', strong: true },
  ]);
});

test.each([
  [{ ...strategy, parameters: { rollout: '100' }, disabled: false }, true],
  [{ ...strategy, parameters: { rollout: '100' }, disabled: true }, false],
  [{ ...strategy, parameters: { rollout: '99' }, disabled: false }, false],
  [{ ...strategy, parameters: { rollout: '100' }, segments: [1], disabled: false }, false],
])('for %j, selectsEveryone returns %s', (strategyFields, expected) => {
  expect(selectsEveryone(strategyFields)).toBe(expected);
});

test('mentions that a revived flag is still stale', () => {
  expect(describeRevival({ name: 'checkout', stale: false })).toBe(
    'Revived checkout. It is disabled in every environment.',
  );
  expect(describeRevival({ name: 'checkout', stale: true })).toBe(
    'Revived checkout. It is disabled in every environment and still marked as stale.',
  );
});

test('quotes values that look like several values or like other words of the sentence', () => {
  const plan = { contextName: 'plan', operator: 'IN' as const };

  expect(describeConstraints({ ...plan, values: ['a, b or 4 more', 'c'] })).toBe(
    'plan is "a, b or 4 more" or c',
  );
  expect(describeConstraints({ ...plan, values: ['a and age > 17'] })).toBe('plan is "a and age > 17"');
  expect(describeConstraints({ ...plan, values: ['', ' a'] })).toBe('plan is "" or " a"');
  expect(describeConstraints({ contextName: 'plan', operator: 'STR_CONTAINS', values: [] })).toBe(
    'plan contains ',
  );
});

test('escapes control and bidi characters of names and values', () => {
  const constraint = {
    contextName: 'pl\u202Ean',
    operator: 'IN' as const,
    values: ['\u202Eteam', '\u001B[31m'],
  };
  const audience = {
    ...strategy,
    parameters: { rollout: '5\u202E0' },
    segments: [1],
    constraints: [constraint],
  };

  expect(toPlainText(describeStrategyAudience(audience, new Map([[1, 'be\u202Eta']])))).toBe(
    '5\\u202E0 % of be\\u202Eta whose pl\\u202Ean is \\u202Eteam or \\u001B[31m',
  );
  expect(toPlainText(describeStrategyAudience({ ...strategy, name: 'by\u202ETeam' }, new Map()))).toBe(
    'Strategy by\\u202ETeam',
  );
});

test('describes constraints in words, but no other values', () => {
  const plan = { contextName: 'plan', operator: 'IN', values: ['team', 'business'] };

  expect(describeConstraints(plan)).toBe('plan is team or business');
  expect(describeConstraints([plan, { contextName: 'age', operator: 'NUM_GT', value: '17' }])).toBe(
    'plan is team or business and age > 17',
  );
  for (const value of [[], 'plan', null, { contextName: 'plan', operator: 'LIKE' }])
    expect(describeConstraints(value)).toBeUndefined();
});
