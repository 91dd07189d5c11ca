import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeUser } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { listAdminOperations, type Operation } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

/** The largest id of a row, and the smallest id that no row can have. */
const [LARGEST, TOO_LARGE] = ['2147483647', '2147483648'];

const OTHER_PARAMETERS: Record<string, string> = { projectId: 'default', featureName: 'known-flag' };

const isRowId = ({ schema, in: where }: { schema: Record<string, unknown>; in: string }) =>
  where === 'path' && schema['x-rule'] === 'must be a positive integer';

const operations = listAdminOperations().filter(({ parameters }) => parameters.some(isRowId));

type Response = [status: number, name?: string, message?: string];

/** Sends a request to the operation with each of the ids, and returns both responses. */
async function requestBoth(
  { method, path, parameters, body }: Operation,
  token: string,
): Promise<[unknown: Response, tooLarge: Response]> {
  const request = async (rowId: string): Promise<Response> => {
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
    return [response.status, response.body?.name, response.body?.message];
  };
  return [await request(LARGEST), await request(TOO_LARGE)];
}

const areSame = (unknown: Response, tooLarge: Response) =>
  JSON.stringify(unknown) === JSON.stringify(tooLarge).replaceAll(TOO_LARGE, LARGEST);

beforeAll(async () => {
  await makeFeature(harness.db, 'default', { name: 'known-flag' });
});

test('the server returns the same 404 for an id that no row can have as for any other unknown id, except for two more specific messages', async () => {
  const { token } = await makeUser(harness.db, 'Admin');

  const differences: Record<string, Response[]> = {};
  const statuses = new Set<number>();
  for (const operation of operations) {
    const [unknown, tooLarge] = await requestBoth(operation, token);
    statuses.add(unknown[0]).add(tooLarge[0]);
    if (!areSame(unknown, tooLarge)) differences[operation.id] = [unknown, tooLarge];
  }

  expect(operations.length).toBeGreaterThan(50);
  expect([...statuses]).toEqual([404]);
  expect(differences).toEqual({
    addProjectRoleAccess: [
      [404, 'NotFoundError', `Role ${LARGEST} does not exist or is not a project role.`],
      [404, 'NotFoundError', `Role ${TOO_LARGE} does not exist.`],
    ],
    getIntegrationEvent: [
      [404, 'NotFoundError', `Record ${LARGEST} of integration ${LARGEST} does not exist.`],
      [404, 'NotFoundError', `Integration ${TOO_LARGE} does not exist.`],
    ],
  });
});

test('without the permission, a caller gets the same response for both ids', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');

  const differences: string[] = [];
  const statuses: number[] = [];
  for (const operation of operations) {
    const [unknown, tooLarge] = await requestBoth(operation, token);
    statuses.push(tooLarge[0]);
    if (!areSame(unknown, tooLarge)) differences.push(operation.id);
  }

  expect(differences).toEqual([]);
  expect(statuses.filter(status => status === 403).length).toBeGreaterThan(30);
});
