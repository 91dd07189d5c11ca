import { expect, test } from 'vitest';
import { parseQuery, withField } from './access-query.ts';

test('reads the query from a URL, and ignores other parameters', () => {
  expect(parseQuery({ user: '7', permission: 'CREATE_FEATURE', project: 'payments', q: 'x' })).toEqual({
    user: '7',
    permission: 'CREATE_FEATURE',
    project: 'payments',
  });
});

test('drops the environment together with the project', () => {
  const query = { project: 'payments', environment: 'production' };

  expect(withField(query, 'environment', 'development').environment).toBe('development');
  expect(withField(query, 'project', '')).toEqual({});
  expect(parseQuery({ environment: 'production' })).toEqual({});
});
