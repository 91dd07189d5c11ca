import { expect, test } from 'vitest';
import { makeFeature, makeUser } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { listAdminOperations } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

/** The largest id of a row, and the smallest id that no row can have. */
const [LARGEST, TOO_LARGE] = ['2147483647', '2147483648'];

const OTHER_PARAMETERS: Record<string, string> = { projectId: 'default', featureName: 'known-flag' };

const isRowId = ({ schema, in: where }: { schema: Record<string, unknown>; in: string }) =>
  where === 'path' && schema['x-rule'] === 'must be a positive integer';

/** Operations whose message for an unknown id is more specific. */
const SPECIFIC_MESSAGES = ['addProjectRoleAccess', 'getIntegrationEvent'];

test('the server returns the same 404 for an id that no row can have as for any other unknown id', async () => {
  await makeFeature(harness.db, 'default', { name: 'known-flag' });
  const { token } = await makeUser(harness.db, 'Admin');
  const operations = listAdminOperations().filter(({ parameters }) => parameters.some(isRowId));

  const differences: unknown[] = [];
  const statuses = new Set<number>();
  for (const { id, method, path, parameters, body } of operations) {
    const request = async (rowId: string) => {
      const url = parameters
        .filter(parameter => parameter.in === 'path')
        .reduce(
          (url, parameter) =>
            url.replace(
              `{${parameter.name}}`,
              isRowId(parameter) ? rowId : (OTHER_PARAMETERS[parameter.name] ?? 'other'),
            ),
          path,
        );
      const response = await call(harness.app, method, url, { body, token });
      statuses.add(response.status);
      return [response.status, response.body?.name, response.body?.message];
    };
    const unknown = await request(LARGEST);
    const tooLarge = await request(TOO_LARGE);
    if (JSON.stringify(unknown) !== JSON.stringify(tooLarge).replaceAll(TOO_LARGE, LARGEST))
      differences.push(id);
  }

  expect(operations.length).toBeGreaterThan(50);
  expect(differences.toSorted()).toEqual(SPECIFIC_MESSAGES);
  expect([...statuses]).toEqual([404]);
});
