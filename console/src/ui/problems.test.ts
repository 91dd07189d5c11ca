import { expect, test } from 'vitest';
import { describeProblems, findNameProblems } from './problems.ts';

test('describes the first problem, and counts the others', () => {
  expect(describeProblems([])).toBe('');
  expect(describeProblems(['Enter a name.'])).toBe('Enter a name.');
  expect(describeProblems(['Enter a name.', 'Enter a value for plan.'])).toBe(
    'Enter a name. 1 more problem.',
  );
  expect(describeProblems(['Enter a name.', 'a', 'b'])).toBe('Enter a name. 2 more problems.');
});

test('reports a name without a visible character', () => {
  expect(findNameProblems(' ')).toEqual(['Enter a name.']);
  expect(findNameProblems('a')).toEqual([]);
});
