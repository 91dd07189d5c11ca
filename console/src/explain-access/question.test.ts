import { expect, test } from 'vitest';
import { questionOf, withChoice } from './question.ts';

test('reads the question in a URL, without other parameters', () => {
  expect(questionOf({ user: '7', permission: 'CREATE_FEATURE', project: 'payments', q: 'x' })).toEqual({
    user: '7',
    permission: 'CREATE_FEATURE',
    project: 'payments',
  });
});

test('drops the environment together with the project', () => {
  const question = { project: 'payments', environment: 'production' };

  expect(withChoice(question, 'environment', 'development').environment).toBe('development');
  expect(withChoice(question, 'project', '')).toEqual({});
  expect(questionOf({ environment: 'production' })).toEqual({});
});
