import {
  DisplayName,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  RowId,
  SharedObject,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

/** Roles of the instance and of projects. Admins create the custom roles. */
export const ROLE_TYPES = ['root', 'project', 'root-custom', 'custom'] as const;
const CUSTOM_TYPES = ['root-custom', 'custom'] as const;

const name = DisplayName({ description: 'Name of the role', examples: ['Release manager'] });
const description = Type.String({
  description: 'What the role is for',
  maxLength: 500,
  examples: ['Enables features in production'],
});

export const Permission = SharedObject('Permission', 'A permission of a role', {
  id: Type.Integer({
    description: 'For clients that require a number. The name identifies the permission',
  }),
  name: Type.String({ description: 'Name of the permission', examples: ['UPDATE_FEATURE_ENVIRONMENT'] }),
  displayName: Type.String({
    description: 'Display name',
    examples: ['Update feature environment'],
  }),
  type: Type.String({
    description: 'Whether the permission applies on the instance (root), in a project or in an environment',
    enum: ['root', 'project', 'environment'],
    examples: ['environment'],
  }),
  environment: Optional.String({ description: 'Absent: all environments', examples: ['production'] }),
  project: Optional.String({
    description: 'Absent: every project where the role is granted',
    examples: ['default'],
  }),
});
export type Permission = Static<typeof Permission>;

export const Permissions = SharedObject('Permissions', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  permissions: NamedObject('PermissionsByScope', 'All permissions by scope', {
    root: Type.Array(Ref(Permission), { description: 'Permissions on the instance' }),
    project: Type.Array(Ref(Permission), { description: 'Permissions in a project' }),
    environments: Type.Array(
      NamedObject('EnvironmentPermissions', {
        name: Type.String({ description: 'Name of the environment', examples: ['production'] }),
        permissions: Type.Array(Ref(Permission)),
      }),
      { description: 'Permissions in a project, for one environment or for all' },
    ),
  }),
});

export const Role = SharedObject('Role', 'A role', {
  id: RowId({ description: 'Role id; 1 to 6 are the built-in roles' }),
  type: Type.Unsafe<(typeof ROLE_TYPES)[number]>({
    type: 'string',
    enum: ROLE_TYPES,
    description: '`root` and `project` are built in. Admins create `root-custom` and `custom`',
  }),
  name,
  description,
});
export type Role = Static<typeof Role>;

/** A role in the list of a user's or group's roles. */
export const NamedRole = SharedObject('NamedRole', 'A role', {
  id: RowId({ description: 'Role id; 1 to 6 are the built-in roles', examples: [5] }),
  name: Type.String({ description: 'Name of the role', examples: ['Member'] }),
});
export type NamedRole = Static<typeof NamedRole>;

export const RoleList = SharedObject('RoleList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  roles: Type.Array(Ref(Role)),
});

export const RoleWithPermissions = SharedObject('RoleWithPermissions', 'A role with its permissions', {
  ...Role.properties,
  permissions: Type.Array(Ref(Permission)),
});

export const HoldersOfRole = SharedObject('HoldersOfRole', {
  holders: Type.Array(
    NamedObject('HolderOfRole', {
      kind: Type.Unsafe<'user' | 'service-account' | 'group' | 'single-sign-on'>({
        type: 'string',
        enum: ['user', 'service-account', 'group', 'single-sign-on'],
        description: '`single-sign-on`: new users of single sign-on get the role',
      }),
      id: Nullable.Integer({ description: 'Id of the user, account or group', examples: [7] }),
      name: Type.String({ description: 'Name of the holder', examples: ['Alice Moreau'] }),
      project: Nullable(
        NamedObject('ProjectOfGrant', 'The project of the grant. null: the instance', {
          id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
          name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
        }),
      ),
      members: Optional.Integer({ description: 'The number of members of a group', examples: [3] }),
    }),
    { description: 'Who has the role, groups first. At most 200' },
  ),
  total: Type.Integer({ minimum: 0, description: 'The total number of grants', examples: [4] }),
});
export type HoldersOfRole = Static<typeof HoldersOfRole>;

/** The field `roles` holds a single role, because Unleash clients expect it there. */
export const WrittenRole = SharedObject('WrittenRole', 'roles is a single role, not a list', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  roles: Ref(RoleWithPermissions),
});

export const PermissionInput = NamedObject('PermissionInput', 'A permission of a role', {
  name: Type.String({
    description: 'Name of the permission',
    minLength: 1,
    maxLength: 100,
    examples: ['UPDATE_FEATURE_ENVIRONMENT'],
  }),
  environment: Type.Optional(
    Nullable.String({
      maxLength: 100,
      description:
        'Only for permissions of type environment. Omitted: all environments, including those created later',
      examples: ['production'],
    }),
  ),
});
export type PermissionInput = Static<typeof PermissionInput>;

const permissions = Type.Array(PermissionInput, { maxItems: 500 });

export const RoleInput = NamedObject(
  'RoleInput',
  {
    name,
    description: Type.Optional(description),
    type: Type.Optional(
      Type.Unsafe<(typeof CUSTOM_TYPES)[number]>({
        type: 'string',
        enum: CUSTOM_TYPES,
        description:
          '`root-custom` for the instance, `custom` (the default) for projects. Cannot be changed later',
      }),
    ),
    permissions: Type.Optional(permissions),
  },
  {
    examples: [
      {
        name: 'Release manager',
        description: 'Enables features in production',
        type: 'custom',
        permissions: [
          { name: 'UPDATE_FEATURE' },
          { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
        ],
      },
    ],
  },
);
export type RoleInput = Static<typeof RoleInput>;
