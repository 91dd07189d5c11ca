import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { TokenScope } from '../platform/actor.ts';
import { GENERATED, SEED, sized } from '../test/campaign.ts';
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
import { ENVIRONMENT_PERMISSIONS, ROOT_PERMISSIONS } from './permissions.ts';

const TOKENS = sized({ usual: 300, long: 3_000 });
const CALLS = 5;

const PROJECTS = ['alpha', 'beta', 'vault'];
const ENVIRONMENTS = ['development', 'production'];
/** Permissions that some operation requires, so that most random lists matter. */
const PERMISSIONS = [
  ...['CREATE_SEGMENT', 'CREATE_TAG_TYPE', 'CREATE_PROJECT', 'UPDATE_STRATEGY', 'READ_ROLE'],
  ...['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_PROJECT', 'UPDATE_FEATURE_DEPENDENCY'],
  ...['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT'],
];

/** Operations with permissions that the guard checks, and reads that need none. No request changes anything. */
const operations = listAdminOperations().filter(
  ({ id, method, permission, path, bodySchema }) =>
    permission !== undefined &&
    (permission !== 'NONE' || method === 'GET') &&
    (method === 'GET' || bodySchema !== undefined || /{projectId}.*{featureName}/.test(path)) &&
    !path.endsWith('/stream') &&
    // It changes nothing, whatever its method is: there are no change requests yet.
    id !== 'setChangeRequestConfig',
);

const WITHHELD = [
  ...['ADMIN', 'CREATE_ADDON', 'UPDATE_ADDON', 'UPDATE_AUTH_CONFIGURATION', 'PROJECT_USER_ACCESS_WRITE'],
  ...['CREATE_CLIENT_API_TOKEN', 'UPDATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
  ...['UPDATE_FRONTEND_API_TOKEN', 'CREATE_PROJECT_API_TOKEN'],
];
/** Operations that are a POST because their input is large, and change nothing. */
const READS =
  /\/(validate|validate-password|preview|playground|playground\/advanced|export|archive\/validate|naming\/validate)$/;

const isIn = (list: readonly string[], value: string) => list.includes(value);
const changes = ({ method, path }: Operation) => method !== 'GET' && !READS.test(path);

/** Whether the scope allows the operation there: the rule of docs/reference/token-scopes.md, written a second time. */
function scopeAllows(
  scope: TokenScope,
  operation: Operation,
  project?: string,
  environment?: string,
): boolean {
  const { permission, path } = operation;
  const needed = permission === 'NONE' || permission === undefined ? [] : permission;
  if (path.startsWith('/api/admin/user/')) return false;
  if (changes(operation) && scope.readOnly) return false;
  if (changes(operation) && needed.some(one => one !== 'ADMIN' && isIn(WITHHELD, one))) return false;
  if (project !== undefined && scope.projects && !scope.projects.includes(project)) return false;
  if (needed.length === 0) return true;
  return needed.some(one => {
    const isNamed = scope.permissions?.includes(one) ?? false;
    if (isIn(WITHHELD, one) || (scope.permissions && !isNamed)) return false;
    if (scope.projects && project === undefined)
      return (
        isNamed && isIn(ROOT_PERMISSIONS, one) && !(scope.environments && isIn(ENVIRONMENT_PERMISSIONS, one))
      );
    if (!scope.environments) return true;
    return isIn(ENVIRONMENT_PERMISSIONS, one)
      ? environment !== undefined && scope.environments.includes(environment)
      : isNamed;
  });
}

/** An absent field sets no limit. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const some = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const scopes: fc.Arbitrary<TokenScope> = fc
  .record({
    projects: maybe(some(PROJECTS)),
    environments: maybe(some(ENVIRONMENTS)),
    permissions: maybe(some(PERMISSIONS)),
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

/** An invalid body, so that nothing changes: a permitted request gets 400 or another error that is neither 401 nor 403. */
async function statusOf(operation: Operation, token: string, project: string, environment: string) {
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
    isScope: String(response?.message).startsWith('The scope of the token does not allow this'),
  };
}

const REUSED = 8;

test(
  `${TOKENS} random tokens, ${TOKENS * CALLS} requests: allowed exactly if the owner and the scope allow it (seed ${SEED})`,
  GENERATED,
  async () => {
    const made = new Map<string, { user: TestUser; left: number }>();
    async function ownerOf(role: string): Promise<TestUser> {
      const known = made.get(role);
      if (known && known.left-- > 0) return known.user;
      const user = await (owners[role] as () => Promise<TestUser>)();
      made.set(role, { user, left: REUSED });
      return user;
    }
    const seen = { allowed: 0, byScope: 0, byOwner: 0 };

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
          const owner = await ownerOf(role);
          const token = await makeScopedToken(harness.db, owner, scope);
          for (const { operation, project, environment } of calls) {
            const byFeature =
              operation.path.includes('{featureName}') && !operation.path.includes('{projectId}');
            const place = operation.path.includes('{projectId}') || byFeature ? project : undefined;
            const inEnvironment = operation.path.includes('{environment}') ? environment : undefined;
            const asOwner = await statusOf(operation, owner.token, project, environment);
            const asToken = await statusOf(operation, token, project, environment);
            const context = {
              role,
              scope,
              operation: `${operation.method} ${operation.path}`,
              project,
              environment,
            };

            const allows = scopeAllows(scope, operation, place, inEnvironment);
            // A path with a feature and no project does not reveal that the feature exists elsewhere.
            const isHidden =
              byFeature && (asOwner.status === 404 || scope.projects?.includes(project) === false);
            const rejection =
              isHidden && asToken.status === 404
                ? { status: 404, isScope: false }
                : // If both reject, either may be named.
                  { status: 403, isScope: asOwner.status !== 403 || asToken.isScope };
            expect({ ...context, ...asToken }).toEqual({ ...context, ...(allows ? asOwner : rejection) });
            seen[!allows ? 'byScope' : asOwner.status === 403 ? 'byOwner' : 'allowed']++;
          }
        },
      ),
      { numRuns: TOKENS, seed: SEED, endOnFailure: true },
    );

    // A run in which everything is allowed, or nothing is, proves little.
    for (const count of Object.values(seen)) expect(count / (TOKENS * CALLS)).toBeGreaterThan(0.01);
  },
);
