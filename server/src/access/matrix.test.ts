import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NewProject, Project } from '../flags/projects/schema.ts';
import {
  makeApiToken,
  makeFeature,
  makeMember,
  makeProject,
  makeScopedToken,
  makeUser,
  type TestUser,
} from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { listAdminOperations, type Operation } from '../test/operations.ts';
import { type ApiResponse, call } from '../test/request.ts';

const operations = listAdminOperations();

/** The permissions of the roles, independent of the migration that grants them. */
const EDITOR = [
  'CREATE_PROJECT',
  'UPDATE_APPLICATION',
  'READ_CLIENT_API_TOKEN',
  'READ_FRONTEND_API_TOKEN',
  'CREATE_CONTEXT_FIELD',
  'CREATE_ADDON',
  'UPDATE_ADDON',
  'DELETE_ADDON',
  'UPDATE_CONTEXT_FIELD',
  'DELETE_CONTEXT_FIELD',
  'CREATE_SEGMENT',
  'UPDATE_SEGMENT',
  'DELETE_SEGMENT',
  'CREATE_TAG_TYPE',
  'UPDATE_TAG_TYPE',
  'DELETE_TAG_TYPE',
  'CREATE_STRATEGY',
  'UPDATE_STRATEGY',
  'DELETE_STRATEGY',
];
const MEMBER = [
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  'UPDATE_FEATURE_DEPENDENCY',
  'READ_PROJECT_API_TOKEN',
  'CREATE_PROJECT_API_TOKEN',
  'DELETE_PROJECT_API_TOKEN',
];
const OWNER = [
  ...MEMBER,
  'MOVE_FEATURE_TOGGLE',
  'UPDATE_PROJECT',
  'DELETE_PROJECT',
  'PROJECT_SETTINGS_WRITE',
  'PROJECT_DEFAULT_STRATEGY_WRITE',
  'UPDATE_PROJECT_SEGMENT',
  'UPDATE_PROJECT_CONTEXT',
  'PROJECT_USER_ACCESS_READ',
  'PROJECT_USER_ACCESS_WRITE',
];

/** Operations that need no token, and the status of their example without a token. */
const PUBLIC: Record<string, number> = {
  'GET /health': 200,
  'GET /ready': 200,
  'GET /internal-backstage/prometheus': 200,
  'GET /internal-backstage/impact/metrics': 200,
  'GET /auth/methods': 200,
  'POST /auth/simple/login': 401,
  'POST /logout': 200,
  'GET /auth/oidc/login': 404,
  'GET /auth/oidc/callback': 404,
  'GET /auth/oidc/logout': 302,
  'GET /auth/reset/validate': 400,
  'POST /auth/reset/password': 401,
  'POST /auth/reset/password-email': 200,
  'POST /auth/reset/validate-password': 200,
  'GET /invite/{token}/validate': 401,
  'POST /invite/{token}/signup': 401,
};

/** Operations that declare NONE because the project is not in their path: the permissions that their example needs. */
const DECIDED_INSIDE: Record<string, string[]> = {
  'POST /api/admin/segments': ['CREATE_SEGMENT'],
  'POST /api/admin/features-batch/import': ['CREATE_FEATURE'],
  // The body can name another project. The example does not.
  'POST /api/admin/projects/{projectId}/features/{featureName}/clone': ['CREATE_FEATURE'],
  'PUT /api/admin/projects/{projectId}/features/{featureName}/variants-batch': [
    'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  ],
};

/** Operations that are a POST because their input is large, and change nothing. */
const READS =
  /\/(validate|validate-password|preview|playground|playground\/advanced|export|archive\/validate|naming\/validate)$/;

/** The project can be in the body. An Editor owns the default project. */
const namesDefault = ({ body }: Operation) => JSON.stringify(body ?? '').includes('"project":"default"');

/** A path with a feature and no project is called with a feature of the project. */
const flagOf = (project: string) => `flag-of-${project}`;
const isOfFeature = ({ path }: Operation) => path.includes('{featureName}') && !path.includes('{projectId}');

const harness = useHarness();
const tokens: Record<string, string> = {};
let owner: TestUser;

beforeAll(async () => {
  const { db } = harness;
  await makeProjectWithFeature({ id: 'open-project' });
  await makeProjectWithFeature({ id: 'private-project', mode: 'private' });
  await makeFeature(db, 'default', { name: flagOf('default') });
  for (const role of ['Viewer', 'Editor', 'Admin'] as const) tokens[role] = (await makeUser(db, role)).token;
  for (const role of ['Owner', 'Member', 'Reader'] as const) {
    const user = await makeUser(db, 'Viewer');
    await makeMember(db, user, 'open-project', role);
    await makeMember(db, user, 'private-project', role);
    tokens[role] = user.token;
    if (role === 'Owner') owner = user;
  }
  const admin = await makeUser(db, 'Admin');
  tokens.elsewhere = await makeScopedToken(db, admin, { projects: ['default'] });
  tokens.readOnly = await makeScopedToken(db, admin, { readOnly: true });
  for (const type of ['client', 'frontend'] as const) {
    const token = await makeApiToken(db, { tokenName: type, type, environment: 'production' });
    tokens[type] = token.secret;
  }
});

async function makeProjectWithFeature(fields: Partial<NewProject> = {}): Promise<Project> {
  known = undefined;
  const project = await makeProject(harness.db, fields);
  await makeFeature(harness.db, project.id, { name: flagOf(project.id) });
  return project;
}

let owned: string | undefined;

/** A project of the Owner. It is reused after a read, which leaves it unchanged. */
async function ownedProject({ method }: Operation): Promise<string> {
  if (owned === undefined) {
    owned = (await makeProjectWithFeature()).id;
    await makeMember(harness.db, owner, owned, 'Owner');
  }
  const id = owned;
  if (method !== 'GET') owned = undefined;
  return id;
}

async function ask(
  operation: Operation,
  token: string | null,
  project = 'open-project',
): Promise<ApiResponse> {
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === 'projectId') return project;
    return name === 'featureName' && isOfFeature(operation) ? flagOf(project) : '999999';
  });
  return await call(harness.app, operation.method, url, { token, body: operation.body });
}

const lastEvent = async (): Promise<number> =>
  (await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db)).rows[0]?.id ?? 0;

/** The last event after a rejection, as long as no other request followed. */
let known: number | undefined;

/** Expects a rejection, and that nothing changed. */
async function expectRejected(
  operation: Operation,
  token: string | null,
  status: number,
  name: string,
  project?: string,
) {
  const before = known ?? (await lastEvent());
  const response = await ask(operation, token, project);
  expect(response).toMatchObject({ status, body: { name } });
  known = await lastEvent();
  expect(known).toBe(before);
}

async function expectAllowed(operation: Operation, token: string, project?: string) {
  known = undefined;
  const { body } = await ask(operation, token, project);
  expect(['AuthenticationRequired', 'NoAccessError']).not.toContain(body?.name);
}

/** Expects what follows from the permissions that the operation declares and those that the role has. */
async function expectByDeclaration(operation: Operation, role: string, held: string[], project?: string) {
  const token = tokens[role] ?? '';
  const needed = DECIDED_INSIDE[`${operation.method} ${operation.path}`] ?? operation.permission;
  const allowed = needed === 'NONE' || needed?.some(one => held.includes(one));
  if (allowed) await expectAllowed(operation, token, project);
  else await expectRejected(operation, token, 403, 'NoAccessError', project);
}

test('openapi.json lists every operation, each public or with a permission', () => {
  const open = operations.filter(operation => operation.permission === undefined);
  expect(operations.length).toBeGreaterThanOrEqual(19);
  expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(PUBLIC).toSorted(),
  );
});

describe.each(operations.filter(({ permission }) => permission !== undefined))('$method $path', operation => {
  const inProject = operation.path.includes('{projectId}') || isOfFeature(operation);

  test('without a token', () => expectRejected(operation, null, 401, 'AuthenticationRequired'));
  test('with a bad token', () =>
    expectRejected(operation, '*:*.no-such-token', 401, 'AuthenticationRequired'));
  test('with a token that fails its checksum', () =>
    expectRejected(operation, `user:hyp_${'a'.repeat(49)}`, 401, 'AuthenticationRequired'));
  test('with a client token', () => expectRejected(operation, tokens.client ?? '', 403, 'NoAccessError'));
  test('with a frontend token', () => expectRejected(operation, tokens.frontend ?? '', 403, 'NoAccessError'));

  if (inProject)
    test("with an admin's token for a different project", () =>
      isOfFeature(operation)
        ? expectRejected(operation, tokens.elsewhere ?? '', 404, 'NotFoundError')
        : expectRejected(operation, tokens.elsewhere ?? '', 403, 'NoAccessError'));
  // setChangeRequestConfig changes nothing, whatever its method is: there are no change requests yet.
  if (operation.method !== 'GET' && !READS.test(operation.path) && operation.id !== 'setChangeRequestConfig')
    test("with an admin's read-only token", () =>
      expectRejected(operation, tokens.readOnly ?? '', 403, 'NoAccessError'));

  test('as Viewer', () => expectByDeclaration(operation, 'Viewer', []));
  test('as Editor', () =>
    expectByDeclaration(operation, 'Editor', namesDefault(operation) ? [...EDITOR, ...OWNER] : EDITOR));
  if (inProject) {
    test('as Editor in the default project', () =>
      expectByDeclaration(operation, 'Editor', [...EDITOR, ...OWNER], 'default'));
    test('as Reader', () => expectByDeclaration(operation, 'Reader', []));
    test('as Reader of a private project', () =>
      expectByDeclaration(operation, 'Reader', [], 'private-project'));
    test('as Member', () => expectByDeclaration(operation, 'Member', MEMBER));
    test('as Owner', async () => {
      await expectByDeclaration(operation, 'Owner', OWNER, await ownedProject(operation));
    });
    test('a private project returns the same 404 to a Viewer and an Editor as a missing project', async () => {
      for (const role of ['Viewer', 'Editor']) {
        const token = tokens[role] ?? '';
        const hidden = await ask(operation, token, 'private-project');
        const missing = await ask(operation, token, 'missing-project');
        expect(hidden.status).toBe(404);
        const withoutName = (body: object, project: string) =>
          JSON.parse(JSON.stringify({ ...body, id: '' }).replaceAll(project, ''));
        expect(withoutName(hidden.body, 'private-project')).toEqual(
          withoutName(missing.body, 'missing-project'),
        );
      }
    });
  }
  test('as Admin', async () => {
    await expectAllowed(operation, tokens.Admin ?? '', inProject ? await ownedProject(operation) : undefined);
  });
});

test.each(operations.filter(({ permission }) => permission === undefined))(
  '$method $path needs no token',
  async operation => {
    expect((await ask(operation, null)).status).toBe(PUBLIC[`${operation.method} ${operation.path}`]);
  },
);
