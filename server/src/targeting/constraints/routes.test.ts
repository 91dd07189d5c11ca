import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const validate = (body: unknown) => call(harness.app, 'POST', '/api/admin/constraints/validate', { body });

const makeField = async (name: string, legalValues: string[], project: string | null = null) => {
  const legal_values = JSON.stringify(legalValues.map(value => ({ value, description: 'x' })));
  await harness.db.insertInto('context_fields').values({ name, legal_values, project }).execute();
};

test('responds with 204 to a valid constraint', async () => {
  const response = await validate({ contextName: 'x', operator: 'SEMVER_EQ', value: '1.2.3', unknown: 1 });

  expect(response).toMatchObject({ status: 204, body: '' });
});

test.each([
  ['IN_CIDR', { operator: 'IN_CIDR', values: ['10.0.0.0/8', '2001:db8::1'], inverted: true }],
  ['inverted REGEX', { operator: 'REGEX', value: '^10\\.', inverted: true, caseInsensitive: true }],
])('accepts %s', async (_case, constraint) => {
  expect(await validate({ contextName: 'remoteAddress', ...constraint })).toMatchObject({ status: 204 });
});

test.each([
  ['a value of the wrong kind', { contextName: 'x', operator: 'NUM_EQ', value: 'ten' }, ['/body/value']],
  ['an empty list', { contextName: 'x', operator: 'IN', values: [] }, ['/body/values']],
  ['an unknown operator', { contextName: 'x', operator: 'LIKE' }, ['/body/operator']],
  ['an operator in lower case', { contextName: 'x', operator: 'in', values: ['a'] }, ['/body/operator']],
  [
    'an invalid CIDR range',
    { contextName: 'x', operator: 'IN_CIDR', values: ['10.0.0.0/8', '10.0.0.0/64'] },
    ['/body/values/1'],
  ],
  ['a blank value', { contextName: 'x', operator: 'STR_CONTAINS', values: ['a', ' '] }, ['/body/values/1']],
  ['null as values', { contextName: 'x', operator: 'IN', values: null }, ['/body/values']],
  ['nothing', {}, ['/body/contextName', '/body/operator']],
  [
    'an empty name, an empty value and one of 101 characters',
    { contextName: '', operator: 'IN', values: ['', 'x'.repeat(101)] },
    ['/body/contextName', '/body/values/0', '/body/values/1'],
  ],
  ['a null', null, ['/body']],
])('rejects %s with 400', async (_case, body, paths) => {
  const response = await validate(body);

  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(paths);
});

test('rejects 251 values', async () => {
  const response = await validate({ contextName: 'x', operator: 'IN', values: Array(251).fill('a') });

  expect(response).toMatchObject({ status: 400, body: { name: 'ExceedsLimitError' } });
});

test('checks the legal values of global fields and ignores the legal values of project fields', async () => {
  await makeField('country', ['NO', 'SE']);
  await makeField('desk', ['a'], (await makeProject(harness.db)).id);

  const legalResponse = await validate({ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] });
  const illegalResponse = await validate({ contextName: 'country', operator: 'IN', values: ['NO', 'DK'] });
  const projectField = await validate({ contextName: 'desk', operator: 'IN', values: ['b'] });

  expect(legalResponse.status).toBe(204);
  expect(illegalResponse).toMatchObject({ status: 400, body: { details: [{ path: '/body/values/1' }] } });
  expect(projectField.status).toBe(204);
});

test('accepts a legal value as written and as stored', async () => {
  await makeField('release-day', ['2026-11-15', ' 2026-12-01']);
  const validateAfter = (value: string) =>
    validate({ contextName: 'release-day', operator: 'DATE_AFTER', value });

  const writtenForm = await validateAfter('2026-11-15');
  const storedForm = await validateAfter('2026-12-01T00:00:00Z');
  const otherDate = await validateAfter('2026-11-16');

  expect([writtenForm.status, storedForm.status, otherDate.status]).toEqual([204, 204, 400]);
});
