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

/** The permissions of each role, written down independently of the migration that grants them. */
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

/** Operations that need no token, and the status of the example request without one. */
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

/** Operations that check permissions themselves, and the permissions that their examples need. */
const CHECKED_INSIDE: Record<string, string[]> = {
  'POST /api/admin/segments': ['CREATE_SEGMENT'],
  'POST /api/admin/features-batch/import': ['CREATE_FEATURE'],
  // The body can name a different project, but the example does not.
  'POST /api/admin/projects/{projectId}/features/{featureName}/clone': ['CREATE_FEATURE'],
  'PUT /api/admin/projects/{projectId}/features/{featureName}/variants-batch': [
    'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  ],
};

/** Operations that change nothing and are a POST only because their input is large. */
const READS =
  /\/(validate|validate-password|preview|playground|playground\/advanced|export|archive\/validate|naming\/validate)$/;

/** Returns whether the body names the default project, which every Editor owns. */
const namesDefault = ({ body }: Operation) => JSON.stringify(body ?? '').includes('"project":"default"');

/** Returns the name of the project's feature, for paths that name a feature but no project. */
const featureNameFor = (project: string) => `flag-of-${project}`;
const namesOnlyFeature = ({ path }: Operation) =>
  path.includes('{featureName}') && !path.includes('{projectId}');

const harness = useHarness();
const tokens: Record<string, string> = {};
let owner: TestUser;

beforeAll(async () => {
  const { db } = harness;
  await makeProjectWithFeature({ id: 'open-project' });
  await makeProjectWithFeature({ id: 'private-project', mode: 'private' });
  await makeFeature(db, 'default', { name: featureNameFor('default') });
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
  knownEventId = undefined;
  const project = await makeProject(harness.db, fields);
  await makeFeature(harness.db, project.id, { name: featureNameFor(project.id) });
  return project;
}

let ownedProjectId: string | undefined;

/** Returns a project of the Owner. Reads share a project, but no operation uses a project after a write to it. */
async function getOwnedProject({ method }: Operation): Promise<string> {
  if (ownedProjectId === undefined) {
    ownedProjectId = (await makeProjectWithFeature()).id;
    await makeMember(harness.db, owner, ownedProjectId, 'Owner');
  }
  const id = ownedProjectId;
  if (method !== 'GET') ownedProjectId = undefined;
  return id;
}

async function send(
  operation: Operation,
  token: string | null,
  project = 'open-project',
): Promise<ApiResponse> {
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === 'projectId') return project;
    return name === 'featureName' && namesOnlyFeature(operation) ? featureNameFor(project) : '999999';
  });
  return await call(harness.app, operation.method, url, { token, body: operation.body });
}

const findLastEventId = async (): Promise<number> =>
  (await sql<{ id: number }>`select max(id) as id from events`.execute(harness.db)).rows[0]?.id ?? 0;

/** The id of the last event. Undefined if a request may have added events since the id was read. */
let knownEventId: number | undefined;

/** Expects the server to reject the request and record no event. */
async function expectRejected(
  operation: Operation,
  token: string | null,
  status: number,
  name: string,
  project?: string,
) {
  const lastIdBefore = knownEventId ?? (await findLastEventId());
  const response = await send(operation, token, project);
  expect(response).toMatchObject({ status, body: { name } });
  knownEventId = await findLastEventId();
  expect(knownEventId).toBe(lastIdBefore);
}

async function expectAllowed(operation: Operation, token: string, project?: string) {
  knownEventId = undefined;
  const { body } = await send(operation, token, project);
  expect(['AuthenticationRequired', 'NoAccessError']).not.toContain(body?.name);
}

/** Expects the server to allow the request only if the role has a permission that the operation declares. */
async function expectByDeclaration(
  operation: Operation,
  role: string,
  heldPermissions: string[],
  project?: string,
) {
  const token = tokens[role] ?? '';
  const neededPermissions = CHECKED_INSIDE[`${operation.method} ${operation.path}`] ?? operation.permission;
  const isAllowed =
    neededPermissions === 'NONE' ||
    neededPermissions?.some(permission => heldPermissions.includes(permission));
  if (isAllowed) await expectAllowed(operation, token, project);
  else await expectRejected(operation, token, 403, 'NoAccessError', project);
}

test('in openapi.json, only the operations in PUBLIC need no token', () => {
  const publicOperations = operations.filter(operation => operation.permission === undefined);
  expect(operations.length).toBeGreaterThanOrEqual(19);
  expect(publicOperations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(PUBLIC).toSorted(),
  );
});

describe.each(operations.filter(({ permission }) => permission !== undefined))('$method $path', operation => {
  const isInProject = operation.path.includes('{projectId}') || namesOnlyFeature(operation);

  test('rejects a request without a token', () =>
    expectRejected(operation, null, 401, 'AuthenticationRequired'));
  test('rejects an unknown token', () =>
    expectRejected(operation, '*:*.no-such-token', 401, 'AuthenticationRequired'));
  test('rejects a token with a wrong checksum', () =>
    expectRejected(operation, `user:hyp_${'a'.repeat(49)}`, 401, 'AuthenticationRequired'));
  test('rejects a client token', () => expectRejected(operation, tokens.client ?? '', 403, 'NoAccessError'));
  test('rejects a frontend token', () =>
    expectRejected(operation, tokens.frontend ?? '', 403, 'NoAccessError'));

  if (isInProject)
    test("rejects an admin's token that is limited to a different project", () =>
      namesOnlyFeature(operation)
        ? expectRejected(operation, tokens.elsewhere ?? '', 404, 'NotFoundError')
        : expectRejected(operation, tokens.elsewhere ?? '', 403, 'NoAccessError'));
  // setChangeRequestConfig changes nothing despite its method, because there are no change requests yet.
  if (operation.method !== 'GET' && !READS.test(operation.path) && operation.id !== 'setChangeRequestConfig')
    test("rejects an admin's read-only token", () =>
      expectRejected(operation, tokens.readOnly ?? '', 403, 'NoAccessError'));

  test('checks the declared permission for a Viewer', () => expectByDeclaration(operation, 'Viewer', []));
  test('checks the declared permission for an Editor', () =>
    expectByDeclaration(operation, 'Editor', namesDefault(operation) ? [...EDITOR, ...OWNER] : EDITOR));
  if (isInProject) {
    test('checks the declared permission for an Editor in the default project', () =>
      expectByDeclaration(operation, 'Editor', [...EDITOR, ...OWNER], 'default'));
    test('checks the declared permission for a Reader', () => expectByDeclaration(operation, 'Reader', []));
    test('checks the declared permission for a Reader of a private project', () =>
      expectByDeclaration(operation, 'Reader', [], 'private-project'));
    test('checks the declared permission for a Member', () =>
      expectByDeclaration(operation, 'Member', MEMBER));
    test('checks the declared permission for an Owner', async () => {
      await expectByDeclaration(operation, 'Owner', OWNER, await getOwnedProject(operation));
    });
    test('a Viewer and an Editor get the same 404 for a private project as for a missing project', async () => {
      for (const role of ['Viewer', 'Editor']) {
        const token = tokens[role] ?? '';
        const hidden = await send(operation, token, 'private-project');
        const missing = await send(operation, token, 'missing-project');
        expect(hidden.status).toBe(404);
        const removeName = (body: object, project: string) =>
          JSON.parse(JSON.stringify({ ...body, id: '' }).replaceAll(project, ''));
        expect(removeName(hidden.body, 'private-project')).toEqual(
          removeName(missing.body, 'missing-project'),
        );
      }
    });
  }
  test('allows an Admin', async () => {
    await expectAllowed(
      operation,
      tokens.Admin ?? '',
      isInProject ? await getOwnedProject(operation) : undefined,
    );
  });
});

test.each(operations.filter(({ permission }) => permission === undefined))(
  '$method $path needs no token',
  async operation => {
    expect((await send(operation, null)).status).toBe(PUBLIC[`${operation.method} ${operation.path}`]);
  },
);
