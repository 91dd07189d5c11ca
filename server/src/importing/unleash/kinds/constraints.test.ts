import { expect, test } from 'vitest';
import { asConstraint, findConstraintProblems } from './constraints.ts';
import { rejectedProblem } from './vocabulary.ts';

const findProblems = (operator: unknown) =>
  findConstraintProblems([asConstraint({ contextName: 'plan', operator, values: ['free'] })], {
    legalValues: new Map(),
  });

test('a constraint with an unknown operator cannot be imported, even with --accept', async () => {
  expect(await findProblems('IN')).toEqual([]);
  expect(await findProblems('LIKE')).toContainEqual(
    rejectedProblem('the constraint on "plan" has the unknown operator "LIKE"'),
  );
});
