import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { TokenScope } from '../platform/actor.ts';
import { campaignSize, GENERATED, SEED } from '../test/campaign.ts';
import {
  makeFeature,
  makeMember,
  makeProject,
  makeScopedToken,
  makeUser,
  type TestUser,
} from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { listAdminOperations, type Operation } from '../test/operations.ts';
import { call } from '../test/request.ts';
import { listUserPermissions } from './held-permissions.ts';
import { ENVIRONMENT_PERMISSIONS, ROOT_PERMISSIONS } from './permissions.ts';
import type { HeldPermission } from './store.ts';

const TOKENS = campaignSize({ usual: 300, long: 3_000 });
const CALLS = 5;

const PROJECTS = ['alpha', 'beta', 'vault'];
/** The owners who can read the private project. */
const VAULT_READERS = ['admin', 'owner'];
const ENVIRONMENTS = ['development', 'production'];
/** Permissions that at least one operation requires, so that most random lists make a difference. */
const PERMISSIONS = [
  ...['CREATE_SEGMENT', 'CREATE_TAG_TYPE', 'CREATE_PROJECT', 'UPDATE_STRATEGY', 'READ_ROLE'],
  ...['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_PROJECT', 'UPDATE_FEATURE_DEPENDENCY'],
  ...['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT'],
];

/** Operations whose permissions the guard checks, and reads that need no permission. The test's requests to them change nothing. */
const operations = listAdminOperations().filter(
  ({ id, method, permission, path, bodySchema }) =>
    permission !== undefined &&
    (permission !== 'NONE' || method === 'GET') &&
    (method === 'GET' || bodySchema !== undefined || /{projectId}.*{featureName}/.test(path)) &&
    !path.endsWith('/stream') &&
    // setChangeRequestConfig changes nothing despite its method, because there are no change requests yet.
    id !== 'setChangeRequestConfig',
);

const WITHHELD = [
  ...['ADMIN', 'CREATE_ADDON', 'UPDATE_ADDON', 'UPDATE_AUTH_CONFIGURATION', 'PROJECT_USER_ACCESS_WRITE'],
  ...['CREATE_CLIENT_API_TOKEN', 'UPDATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
  ...['UPDATE_FRONTEND_API_TOKEN', 'CREATE_PROJECT_API_TOKEN'],
];
/** Operations that change nothing and are a POST only because their input is large. */
const READS =
  /\/(validate|validate-password|preview|playground|playground\/advanced|export|archive\/validate|naming\/validate)$/;

const isIn = (list: readonly string[], value: string) => list.includes(value);
const changes = ({ method, path }: Operation) => method !== 'GET' && !READS.test(path);

const permissionsNeededBy = ({ permission = 'NONE' }: Operation) => (permission === 'NONE' ? [] : permission);

/**
 * Returns the operation's permissions that the scope covers, or false if the scope rejects the operation. The owner must have one
 * of the returned permissions. This repeats the rule in docs/reference/token-scopes.md independently of the server.
 */
function permissionsCoveredByScope(
  scope: TokenScope,
  operation: Operation,
  project?: string,
  environment?: string,
): string[] | false {
  const { path } = operation;
  const neededPermissions = permissionsNeededBy(operation);
  if (path.startsWith('/api/admin/user/')) return false;
  if (changes(operation) && scope.readOnly) return false;
  if (
    changes(operation) &&
    neededPermissions.some(permission => permission !== 'ADMIN' && isIn(WITHHELD, permission))
  )
    return false;
  if (project !== undefined && scope.projects && !scope.projects.includes(project)) return false;
  if (neededPermissions.length === 0) return [];
  const coveredPermissions = neededPermissions.filter(permission => {
    const isNamed = scope.permissions?.includes(permission) ?? false;
    if (isIn(WITHHELD, permission) || (scope.permissions && !isNamed)) return false;
    if (scope.projects && project === undefined)
      return (
        isNamed &&
        isIn(ROOT_PERMISSIONS, permission) &&
        !(scope.environments && isIn(ENVIRONMENT_PERMISSIONS, permission))
      );
    if (!scope.environments) return true;
    return isIn(ENVIRONMENT_PERMISSIONS, permission)
      ? environment !== undefined && scope.environments.includes(environment)
      : isNamed;
  });
  return coveredPermissions.length > 0 && coveredPermissions;
}

/** Returns whether the owner has one of the permissions in the project and environment. */
const hasOne = (
  heldPermissions: HeldPermission[],
  permissions: readonly string[],
  project?: string,
  environment?: string,
) =>
  heldPermissions.some(
    heldPermission =>
      (heldPermission.permission === 'ADMIN' || permissions.includes(heldPermission.permission)) &&
      (heldPermission.project === undefined || heldPermission.project === project) &&
      (heldPermission.environment === undefined || heldPermission.environment === environment),
  );

/** Generates a field that may be absent. An absent field sets no limit. */
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const nonEmptySubset = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const scopes: fc.Arbitrary<TokenScope> = fc
  .record({
    projects: optional(nonEmptySubset(PROJECTS)),
    environments: optional(nonEmptySubset(ENVIRONMENTS)),
    permissions: optional(nonEmptySubset(PERMISSIONS)),
    readOnly: fc.constantFrom(undefined, undefined, undefined, true as const),
  })
  .map(bounds => JSON.parse(JSON.stringify(bounds)) as TokenScope)
  .map(bounds => (Object.keys(bounds).length === 0 ? { maxChanges: 1_000_000 } : bounds));

const harness = useHarness();
const owners: Record<string, () => Promise<TestUser>> = {
  admin: () => makeUser(harness.db, 'Admin'),
  editor: () => makeUser(harness.db, 'Editor'),
  viewer: () => makeUser(harness.db, 'Viewer'),
  owner: async () => {
    const user = await makeUser(harness.db, 'Viewer');
    await makeMember(harness.db, user, 'alpha', 'Owner');
    await makeMember(harness.db, user, 'vault', 'Member');
    return user;
  },
};

beforeAll(async () => {
  for (const id of PROJECTS) {
    await makeProject(harness.db, { id, mode: id === 'vault' ? 'private' : 'open' });
    await makeFeature(harness.db, id, { name: `flag-of-${id}` });
  }
});

/**
 * Sends a request with an invalid body, so that nothing changes. The server responds to a permitted request with 400 or another
 * error that is neither 401 nor 403.
 */
async function sendInvalidRequest(operation: Operation, token: string, project: string, environment: string) {
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === 'projectId') return project;
    if (name === 'environment') return environment;
    if (name === 'featureName')
      return operation.path.includes('{projectId}') ? 'no-such-flag' : `flag-of-${project}`;
    return '999999';
  });
  const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : 'invalid';
  const { status, body: response } = await call(harness.app, operation.method, url, { token, body });
  return {
    status,
    isScopeRejection: String(response?.message).startsWith("The token's scope does not allow this"),
  };
}

const REUSES_PER_OWNER = 8;

test(
  `${TOKENS} random tokens, ${TOKENS * CALLS} requests: a request is allowed only if both the owner's permissions and the token's scope allow it (seed ${SEED})`,
  GENERATED,
  async () => {
    const ownersByRole = new Map<string, { user: TestUser; usesLeft: number }>();
    async function getOwner(role: string): Promise<TestUser> {
      const knownOwner = ownersByRole.get(role);
      if (knownOwner && knownOwner.usesLeft-- > 0) return knownOwner.user;
      const user = await (owners[role] as () => Promise<TestUser>)();
      ownersByRole.set(role, { user, usesLeft: REUSES_PER_OWNER });
      return user;
    }
    const outcomes = { allowed: 0, byScope: 0, byOwner: 0 };

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(owners)),
        scopes,
        fc.array(
          fc.record({
            operation: fc.constantFrom(...operations),
            project: fc.constantFrom(...PROJECTS),
            environment: fc.constantFrom(...ENVIRONMENTS),
          }),
          { minLength: CALLS, maxLength: CALLS },
        ),
        async (role, scope, calls) => {
          const owner = await getOwner(role);
          const token = await makeScopedToken(harness.db, owner, scope);
          for (const { operation, project, environment } of calls) {
            const isByFeature =
              operation.path.includes('{featureName}') && !operation.path.includes('{projectId}');
            const checkedProject =
              operation.path.includes('{projectId}') || isByFeature ? project : undefined;
            const checkedEnvironment = operation.path.includes('{environment}') ? environment : undefined;
            const ownerStatus = await sendInvalidRequest(operation, owner.token, project, environment);
            const tokenStatus = await sendInvalidRequest(operation, token, project, environment);
            const context = {
              role,
              scope,
              operation: `${operation.method} ${operation.path}`,
              project,
              environment,
            };

            const coveredPermissions = permissionsCoveredByScope(
              scope,
              operation,
              checkedProject,
              checkedEnvironment,
            );
            const heldPermissions = await listUserPermissions(harness.db, owner.id);
            const ownerHas = (permissions: readonly string[]) =>
              hasOne(heldPermissions, permissions, checkedProject, checkedEnvironment);
            const canRead = checkedProject !== 'vault' || VAULT_READERS.includes(role);
            // The owner may have one of the operation's permissions while the scope covers only another one.
            const sharesNone =
              coveredPermissions &&
              canRead &&
              ownerHas(permissionsNeededBy(operation)) &&
              !ownerHas(coveredPermissions);
            const allows = coveredPermissions !== false && !sharesNone;
            // If the path names a feature but no project, the response does not reveal that the feature exists elsewhere.
            const isHidden =
              isByFeature && (ownerStatus.status === 404 || scope.projects?.includes(project) === false);
            const rejection =
              isHidden && tokenStatus.status === 404
                ? { status: 404, isScopeRejection: false }
                : // If both the scope and the permissions reject the request, the error can name either.
                  {
                    status: 403,
                    isScopeRejection:
                      (ownerStatus.status !== 403 && !sharesNone) || tokenStatus.isScopeRejection,
                  };
            expect({ ...context, ...tokenStatus }).toEqual({
              ...context,
              ...(allows ? ownerStatus : rejection),
            });
            outcomes[
              !coveredPermissions
                ? 'byScope'
                : ownerStatus.status === 403 || sharesNone
                  ? 'byOwner'
                  : 'allowed'
            ]++;
          }
        },
      ),
      { numRuns: TOKENS, seed: SEED, endOnFailure: true },
    );

    // A run that allows everything or nothing would prove little.
    for (const count of Object.values(outcomes)) expect(count / (TOKENS * CALLS)).toBeGreaterThan(0.01);
  },
);
