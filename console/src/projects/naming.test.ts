import { expect, test } from 'vitest';
import { findPatternProblem, followsRule } from './naming.ts';

test.each([
  ['pay-.+', 'pay-card', true],
  ['pay-.+', 'checkout', false],
  ['pay', 'pay-card', false],
  ['a|b', 'ab', false],
  ['pay-.+', '', true],
  [undefined, 'checkout', true],
  ['(?P<area>pay)-.+', 'checkout', true],
])('with the pattern %j, finds whether the name %j follows the rule', (pattern, name, isValid) => {
  expect(followsRule(pattern, name)).toBe(isValid);
});

test.each(['loy[', 'loy(', 'a)', '*a', 'a\\'])('reports the invalid pattern %j', pattern => {
  expect(findPatternProblem(pattern)).toBe('Not a valid regular expression.');
});

test.each(['', 'pay\\..+', '[a-z]+(-[a-z]+)*', '(?i)pay-.+', '(?P<area>pay)-.+', '\\Qa[\\E.+'])(
  'does not report the pattern %j, which the server accepts',
  pattern => {
    expect(findPatternProblem(pattern)).toBeUndefined();
  },
);
