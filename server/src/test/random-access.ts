import fc from 'fast-check';
import { expect } from 'vitest';
import { makeProject, makeUser } from './factories.ts';
import type { useHarness } from './harness.ts';
import { call } from './request.ts';

const ENVIRONMENTS = ['development', 'production'];
export const USERS = ['ann', 'bob', 'cy'];
const PROJECTS = ['alpha', 'beta', 'gamma'];
const GROUPS = ['reds', 'blues'];
const ROOT_ROLES = ['root-one', 'root-two'];
const PROJECT_ROLES = ['project-one', 'project-two'];

/**
 * With the permission, each of these requests returns 400, because the body is invalid. Without it, the request returns 403, or
 * 404 in a hidden project.
 */
const PROJECT_PROBES = [
  { permission: 'CREATE_FEATURE', method: 'POST', path: 'features' },
  { permission: 'UPDATE_PROJECT', method: 'PUT', path: '' },
  { permission: 'CREATE_PROJECT_API_TOKEN', method: 'POST', path: 'api-tokens' },
] as const;
const ENVIRONMENT_PROBES = [
  { permission: 'CREATE_FEATURE_STRATEGY', method: 'POST', path: 'features/x/environments/{}/strategies' },
  { permission: 'UPDATE_FEATURE_ENVIRONMENT', method: 'POST', path: 'bulk_features/environments/{}/on' },
] as const;
const INSTANCE_PROBES = [
  { permission: 'CREATE_TAG_TYPE', method: 'POST', path: '/api/admin/tag-types' },
  { permission: 'CREATE_PROJECT', method: 'POST', path: '/api/admin/projects' },
] as const;

type RolePermission = { name: string; environment?: string };
export type World = {
  roles: Record<string, RolePermission[]>;
  rootRoles: Record<string, string | null>;
  groups: Record<string, { users: string[]; rootRole: string | null }>;
  private: Record<string, boolean>;
  /** project → role → holders */
  access: Record<string, Record<string, { users: string[]; groups: string[] }>>;
};
export type AccessQuery = {
  user: string;
  project: string | null;
  permission: string | null;
  environment?: string;
};

/** Applies the access rules, independently of the code that implements them. */
export function predictStatus(world: World, { user, project, permission, environment }: AccessQuery): number {
  const groups = GROUPS.filter(group => world.groups[group]?.users.includes(user));
  const rootRoles = [world.rootRoles[user], ...groups.map(group => world.groups[group]?.rootRole)];
  const projectRoles = Object.entries((project && world.access[project]) || {})
    .filter(
      ([, holders]) => holders.users.includes(user) || holders.groups.some(group => groups.includes(group)),
    )
    .map(([role]) => role);
  const isAdmin = rootRoles.includes('Admin');
  if (project && world.private[project] && projectRoles.length === 0 && !isAdmin) return 404;
  const permissions = [...rootRoles, ...projectRoles].flatMap(role => world.roles[role ?? ''] ?? []);
  const grantsAccess = (rolePermission: RolePermission) =>
    rolePermission.name === permission &&
    (rolePermission.environment === undefined || rolePermission.environment === environment);
  return permission === null ? 200 : isAdmin || permissions.some(grantsAccess) ? 400 : 403;
}

const subset = <T>(values: readonly T[], maxLength = values.length) =>
  fc.subarray([...values], { maxLength });
const record = <T>(keys: string[], value: fc.Arbitrary<T>) =>
  fc.record(Object.fromEntries(keys.map(key => [key, value]))) as fc.Arbitrary<Record<string, T>>;
const projectPermissions: RolePermission[] = [
  ...PROJECT_PROBES.map(({ permission }) => ({ name: permission })),
  ...ENVIRONMENT_PROBES.flatMap(({ permission }) => [
    { name: permission },
    ...ENVIRONMENTS.map(environment => ({ name: permission, environment })),
  ]),
];
const rootPermissions = [
  ...projectPermissions,
  ...INSTANCE_PROBES.map(({ permission }) => ({ name: permission })),
];
const rootRole = fc.constantFrom(...ROOT_ROLES, ...ROOT_ROLES, 'Viewer', 'Viewer', 'Admin');

export const worlds: fc.Arbitrary<World> = fc.record({
  roles: fc
    .tuple(record(ROOT_ROLES, subset(rootPermissions)), record(PROJECT_ROLES, subset(projectPermissions)))
    .map(([root, project]) => ({ ...root, ...project })),
  rootRoles: record(USERS, rootRole),
  groups: record(
    GROUPS,
    fc.record({
      users: subset(USERS, 2),
      rootRole: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: rootRole }),
    }),
  ),
  private: record(PROJECTS, fc.boolean()),
  access: record(
    PROJECTS,
    record([...PROJECT_ROLES, 'Reader'], fc.record({ users: subset(USERS, 1), groups: subset(GROUPS, 1) })),
  ),
});

export const accessQueries: fc.Arbitrary<AccessQuery> = fc.oneof(
  fc.record({
    user: fc.constantFrom(...USERS),
    project: fc.constantFrom(...PROJECTS),
    permission: fc.constantFrom(...PROJECT_PROBES.map(probe => probe.permission), null),
  }),
  fc.record({
    user: fc.constantFrom(...USERS),
    project: fc.constantFrom(...PROJECTS),
    permission: fc.constantFrom(...ENVIRONMENT_PROBES.map(probe => probe.permission)),
    environment: fc.constantFrom(...ENVIRONMENTS),
  }),
  fc.record({
    user: fc.constantFrom(...USERS),
    project: fc.constant(null),
    permission: fc.constantFrom(...INSTANCE_PROBES.map(probe => probe.permission)),
  }),
);

export type AccessFixture = {
  tokens: Record<string, string>;
  /** The id of a user, group or role. */
  getId: (name: string) => number;
  create: (world: World) => Promise<void>;
  readStatus: (query: AccessQuery) => Promise<number>;
};

/** Creates the users, groups, roles and projects of all worlds. */
export async function makeAccessFixture(harness: ReturnType<typeof useHarness>): Promise<AccessFixture> {
  const { db, app } = harness;
  const tokens: Record<string, string> = {};
  const ids: Record<string, number> = { Admin: 1, Viewer: 3, Reader: 6 };
  const getId = (name: string): number => ids[name] ?? Number.NaN;
  const post = async (path: string, body: object) => (await call(app, 'POST', path, { body })).body;
  // There must always be an admin.
  await makeUser(db, 'Admin');
  for (const name of USERS) {
    const user = await makeUser(db, 'Viewer', name);
    [tokens[name], ids[name]] = [user.token, user.id];
  }
  for (const id of PROJECTS) await makeProject(db, { id });
  for (const name of GROUPS) ids[name] = (await post('/api/admin/groups', { name })).id;
  for (const name of ROOT_ROLES)
    ids[name] = (await post('/api/admin/roles', { name, type: 'root-custom' })).roles.id;
  for (const name of PROJECT_ROLES)
    ids[name] = (await post('/api/admin/roles', { name, type: 'custom' })).roles.id;

  /** Creates the world through the API. Root roles of users are written directly. */
  async function create(world: World): Promise<void> {
    const put = async (path: string, body: object) => {
      const response = await call(app, 'PUT', `/api/admin/${path}`, { body });
      expect([path, response.status, response.body?.details]).toEqual([path, 200, undefined]);
    };
    for (const [name, permissions] of Object.entries(world.roles))
      await put(`roles/${getId(name)}`, { name, permissions });
    for (const [name, { users, rootRole: root }] of Object.entries(world.groups)) {
      await put(`groups/${getId(name)}`, {
        name,
        rootRole: root === null ? null : getId(root),
        users: users.map(user => ({ user: { id: getId(user) } })),
      });
    }
    for (const [user, role] of Object.entries(world.rootRoles)) {
      await db
        .updateTable('user_roles')
        .set({ role_id: getId(role ?? 'Viewer') })
        .where('user_id', '=', getId(user))
        .where('project', 'is', null)
        .execute();
    }
    for (const project of PROJECTS) {
      await put(`projects/${project}/settings`, { mode: world.private[project] ? 'private' : 'open' });
      await put(`projects/${project}/access`, {
        roles: Object.entries(world.access[project] ?? {}).map(([role, { users, groups }]) => ({
          id: getId(role),
          users: users.map(getId),
          groups: groups.map(getId),
        })),
      });
    }
  }

  /** Sends a request that requires exactly the permission. */
  async function readStatus({ user, project, permission, environment }: AccessQuery): Promise<number> {
    const token = tokens[user] ?? '';
    if (permission === null)
      return (await call(app, 'GET', `/api/admin/projects/${project}`, { token })).status;
    const probe = [...PROJECT_PROBES, ...ENVIRONMENT_PROBES, ...INSTANCE_PROBES].find(
      candidate => candidate.permission === permission,
    );
    if (!probe) throw new Error(`no probe for ${permission}`);
    const path = probe.path.replace('{}', environment ?? '');
    const url = project === null ? path : `/api/admin/projects/${project}/${path}`;
    return (await call(app, probe.method, url, { token, body: {} })).status;
  }

  return { tokens, getId, create, readStatus };
}
