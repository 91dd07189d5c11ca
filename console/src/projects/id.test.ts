import { expect, test } from 'vitest';
import { findIdProblem, suggestId } from './id.ts';

test.each([
  ['Mobile apps', 'mobile-apps'],
  ['  Zahlungen & Rückgaben ', 'zahlungen-ruckgaben'],
  ['支払い', ''],
  ['x'.repeat(200), 'x'.repeat(100)],
])('suggests an id for the name %j', (name, id) => {
  expect(suggestId(name)).toBe(id);
});

test.each([
  ['payments', undefined],
  ["Pay_ments.v2!~*'()", undefined],
  ['', undefined],
  ['mobile apps', 'An id must not contain spaces'],
  ['a/b', 'An id must not contain "/"'],
  ['archive', '"archive" is reserved'],
  ['search', 'Project "search" already exists'],
])('finds what is wrong with the id %j, if anything', (id, problem) => {
  const actual = findIdProblem(id, ['search']);

  if (problem === undefined) expect(actual).toBeUndefined();
  else expect(actual).toContain(problem);
});
