import { expect, test } from 'vitest';
import { asConstraint, constraintProblems } from './constraints.ts';
import { rejected } from './vocabulary.ts';

const problemsOf = (operator: unknown) =>
  constraintProblems([asConstraint({ contextName: 'plan', operator, values: ['free'] })], {
    legalValues: new Map(),
  });

test('a constraint with an unknown operator cannot be imported, whatever is accepted', async () => {
  expect(await problemsOf('IN')).toEqual([]);
  expect(await problemsOf('LIKE')).toContainEqual(
    rejected('the constraint on "plan" has the unknown operator "LIKE"'),
  );
});
