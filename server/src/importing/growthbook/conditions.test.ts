import { expect, test } from 'vitest';
import { makeConditionReader } from './conditions.ts';

const reader = makeConditionReader(
  [
    { id: 'grp_list', name: 'testers', type: 'list', attributeKey: 'email', values: ['a@example.com'] },
    { id: 'grp_rule', name: 'Sweden', type: 'condition', condition: '{"country":"SE"}' },
  ],
  attribute => attribute,
);
const { readCondition, readGroups } = reader;
const is = (field: string, operator: string, values: string[], negated = false) => ({
  field,
  operator,
  values,
  negated,
});

test.each([
  ['', [[]]],
  ['{}', [[]]],
  ['{"country":"SE","beta":true}', [[is('country', 'IN', ['SE']), is('beta', 'IN', ['true'])]]],
  ['{"age":18}', [[is('age', 'NUM_EQ', ['18'])]]],
  ['{"country":{"$ne":"SE"}}', [[is('country', 'IN', ['SE'], true)]]],
  ['{"country":{"$not":{"$nin":["SE"]}}}', [[is('country', 'IN', ['SE'])]]],
  ['{"age":{"$gt":17,"$lte":65}}', [[is('age', 'NUM_GT', ['17']), is('age', 'NUM_LTE', ['65'])]]],
  ['{"version":{"$vne":"1.2.3"}}', [[is('version', 'SEMVER_EQ', ['1.2.3'], true)]]],
  ['{"url":{"$regexi":"^/a"}}', [[{ ...is('url', 'REGEX', ['^/a']), caseInsensitive: true }]]],
  ['{"$or":[{"a":"1"},{"b":"2"}]}', [[is('a', 'IN', ['1'])], [is('b', 'IN', ['2'])]]],
  ['{"$or":[]}', [[]]],
  ['{"$nor":[{"a":"1"},{"b":"2"}]}', [[is('a', 'IN', ['1'], true), is('b', 'IN', ['2'], true)]]],
  ['{"$not":{"a":"1","b":"2"}}', [[is('a', 'IN', ['1'], true)], [is('b', 'IN', ['2'], true)]]],
  ['{"id":{"$inGroup":"grp_list"}}', [[is('id', 'IN', ['a@example.com'])]]],
  ['{"id":{"$in":[]}}', []],
])('reads %s', (text, expected) => {
  expect(readCondition(text)).toEqual(expected);
});

test.each([
  ['{"a.b":1}', 'the nested attribute "a.b"'],
  ['{"a":null}', 'a comparison of "a" with null'],
  ['{"a":{"b":1}}', 'a comparison of "a" with an object'],
  ['{"a":{"$exists":true}}', 'the operator "$exists"'],
  ['{"a":{"$gt":"2026-01-01"}}', 'the operator "$gt" with "2026-01-01"'],
  ['{"a":{"$ini":["x"]}}', 'the operator "$ini"'],
  ['{"$savedGroups":["grp_list"]}', 'the operator "$savedGroups"'],
  ['{"a":{"$inGroup":"grp_rule"}}', 'saved group "Sweden" as a list'],
  ['{"a":{"$inGroup":"grp_none"}}', 'saved group "grp_none", which is not in the data'],
  ['[', 'a condition that is not JSON'],
  [`${'{"$not":'.repeat(20)}{}${'}'.repeat(20)}`, 'conditions nested more than 10 levels deep'],
])('rejects %s because of %s', (text, expected) => {
  expect(() => readCondition(text)).toThrow(expected);
});

test('combines saved groups, and turns them into segments unless they are negated', () => {
  const [list, rule] = [
    { segment: 'testers', comparisons: [is('email', 'IN', ['a@example.com'])] },
    { segment: 'Sweden', comparisons: [is('country', 'IN', ['SE'])] },
  ];
  const savedGroups = ['grp_list', 'grp_rule'];

  expect(readGroups({ matchType: 'all', savedGroups })).toEqual([[list, rule]]);
  expect(readGroups({ matchType: 'any', savedGroups })).toEqual([[list], [rule]]);
  expect(readGroups({ matchType: 'none', savedGroups })).toEqual([
    [is('email', 'IN', ['a@example.com'], true), is('country', 'IN', ['SE'], true)],
  ]);
});
