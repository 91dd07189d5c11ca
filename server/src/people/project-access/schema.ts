import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  RowId,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Group, Member } from '../groups/schema.ts';
import { Role } from '../roles/schema.ts';

const roleId = Type.Integer({ description: 'Id of the first role', examples: [5] });
const roles = Type.Array(Type.Integer(), { description: 'Ids of the roles in the project', examples: [[5]] });
const addedAt = Timestamp('When the first role was granted');

export const UserAccess = SharedObject('UserAccess', { ...Member.properties, roleId, roles, addedAt });
export type UserAccess = Static<typeof UserAccess>;

const { id, name, description, mappingsSSO, rootRole, createdAt, createdBy, users } = Group.properties;

export const GroupAccess = SharedObject('GroupAccess', 'A group with roles in the project', {
  id,
  name,
  description,
  mappingsSSO,
  rootRole,
  createdAt,
  createdBy,
  users,
  roleId,
  roles,
  addedAt,
});
export type GroupAccess = Static<typeof GroupAccess>;

export const ProjectAccess = SharedObject('ProjectAccess', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  roles: Type.Array(Ref(Role), { description: 'The roles that can be granted in a project' }),
  users: Type.Array(Ref(UserAccess), {
    description: 'Users and service accounts with roles granted to them directly, not through a group',
  }),
  groups: Type.Array(Ref(GroupAccess)),
});

const MAX_HOLDERS = 5_000;
const MAX_ROLES = 100;
const idList = (description: string, example: number[], maxItems = MAX_HOLDERS) =>
  Type.Array(RowId(), { maxItems, description, examples: [example] });
const holders = Optional.Array(
  NamedObject('RoleHolder', 'A user or group with the role', {
    id: RowId({ description: 'Id of the user or group' }),
  }),
  { maxItems: MAX_HOLDERS, examples: [[{ id: 7 }]] },
);

export const AccessConfiguration = NamedObject(
  'AccessConfiguration',
  {
    roles: Type.Array(
      NamedObject('RoleAccess', {
        id: RowId({ description: 'Role id; 1 to 6 are the built-in roles', examples: [4] }),
        users: Type.Optional(Nullable(idList('Ids of users and service accounts', [7]))),
        groups: Type.Optional(Nullable(idList('Ids of groups', [3]))),
      }),
      { maxItems: MAX_ROLES, description: 'The holders of each role, which replace all current grants' },
    ),
  },
  { examples: [{ roles: [{ id: 4, users: [7], groups: [] }] }] },
);
export type AccessConfiguration = Static<typeof AccessConfiguration>;

export const AccessGrant = NamedObject(
  'AccessGrant',
  {
    roles: idList('Ids of the roles', [5], MAX_ROLES),
    users: idList('Ids of users and service accounts', [7]),
    groups: idList('Ids of groups', [3]),
  },
  { examples: [{ roles: [5], users: [7], groups: [3] }] },
);
export type AccessGrant = Static<typeof AccessGrant>;

export const RoleHolders = NamedObject(
  'RoleHolders',
  { users: holders, groups: holders },
  { examples: [{ users: [{ id: 7 }], groups: [] }] },
);
export type RoleHolders = Static<typeof RoleHolders>;

export const HeldRoles = NamedObject(
  'HeldRoleIds',
  { roles: idList('Ids of the roles, which replace the current roles', [5], MAX_ROLES) },
  { examples: [{ roles: [5] }] },
);
