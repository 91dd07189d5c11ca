import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import type { Permission } from '../../access/permissions.ts';
import { ENVIRONMENT_PERMISSIONS, PROJECT_PERMISSIONS, ROOT_PERMISSIONS } from '../../access/permissions.ts';

const PERMISSIONS: Permission[] = [...ROOT_PERMISSIONS, ...PROJECT_PERMISSIONS, ...ENVIRONMENT_PERMISSIONS];

export const MAX_ROLES = 50;
export const MAX_CHANGES = 10;
export const MAX_GRANTORS = 20;

export const ExplainAccessQuery = Type.Object({
  user: Optional.String({
    maxLength: 10,
    pattern: '^[1-9][0-9]{0,9}$',
    [RULE]: 'must be a positive integer',
    description: 'Id of a user or service account; default: the caller',
    examples: ['7'],
  }),
  permission: Type.Optional(
    Type.Unsafe<Permission>(
      Type.String({
        enum: PERMISSIONS,
        description: 'Name of a permission. Default: read access to the project',
        examples: ['UPDATE_FEATURE_ENVIRONMENT'],
      }),
    ),
  ),
  project: Optional.String({
    minLength: 1,
    maxLength: 100,
    description: 'Id of a project. Default: the whole instance',
    examples: ['payments'],
  }),
  environment: Optional.String({
    minLength: 1,
    maxLength: 100,
    description: 'Name of an environment; requires project. Default: all environments',
    examples: ['production'],
  }),
});
export type ExplainAccessQuery = Static<typeof ExplainAccessQuery>;

const RoleName = NamedObject('AccessRole', 'A role', {
  id: Type.Integer({ description: 'Role id; 1 to 6 are the built-in roles', examples: [101] }),
  name: Type.String({ description: 'Name of the role', examples: ['Release manager'] }),
  type: Type.Unsafe<'root' | 'project' | 'root-custom' | 'custom'>({
    description: '`root` and `root-custom` apply on the instance, `project` and `custom` in projects',
    type: 'string',
    enum: ['root', 'project', 'root-custom', 'custom'],
  }),
});

const Grantor = Nullable.String({
  description: 'Who granted it. Null if that is not recorded',
  examples: ['ada'],
});
const GrantTime = Nullable(Timestamp('When it was granted. Null if that is not recorded'));

const heldRoleFields = {
  role: RoleName,
  project: Nullable.String({
    description: 'Where the role is held. Null: on the instance',
    examples: ['payments'],
  }),
  group: Nullable(
    NamedObject('AccessGroup', 'The group through which the user holds the role. Null: held directly', {
      id: Type.Integer({ description: 'Id of the group', examples: [3] }),
      name: Type.String({ description: 'Name of the group', examples: ['on-call'] }),
      joinedAt: Timestamp('When the user joined the group'),
      addedBy: Type.String({ description: 'Who added the user to the group', examples: ['ben'] }),
    }),
  ),
  grantedBy: Grantor,
  grantedAt: GrantTime,
};

/** A role that allows the requested action. */
export const AccessPath = SharedObject('AccessPath', {
  ...heldRoleFields,
  permission: Nullable.String({
    description:
      'The permission of the role that allows it: the requested one, or ADMIN. Null: any role in a private project grants read access',
    examples: ['UPDATE_FEATURE_ENVIRONMENT'],
  }),
});
export type AccessPath = Static<typeof AccessPath>;

/** A role of the user that does not allow the action. */
export const OtherRole = SharedObject('OtherAccessRole', {
  ...heldRoleFields,
  why: Type.Unsafe<'lacks-permission' | 'other-environments' | 'other-projects'>({
    type: 'string',
    enum: ['lacks-permission', 'other-environments', 'other-projects'],
    description: 'Why the role does not allow it: it lacks the permission, or has it only elsewhere',
  }),
  environments: Type.Array(Type.String(), {
    description: 'The environments where the role has the permission, if not in all',
    examples: [['development']],
  }),
});
export type OtherRole = Static<typeof OtherRole>;

const GrantedPermission = NamedObject('AccessGain', {
  permission: Type.String({ description: 'Name of the permission', examples: ['CREATE_FEATURE'] }),
  environment: Optional.String({
    description: 'The environment where the permission applies. Absent: all environments',
    examples: ['production'],
  }),
});

/** One change that would allow the action, with its side effects. */
export const AccessChange = SharedObject('AccessChange', {
  kind: Type.Unsafe<'join-group' | 'grant-project-role' | 'set-root-role'>({
    description: 'What would change: a role is granted, or the user joins a group',
    type: 'string',
    enum: ['join-group', 'grant-project-role', 'set-root-role'],
  }),
  role: RoleName,
  group: Nullable(
    NamedObject('JoinedGroup', 'The group to join', {
      id: Type.Integer({ description: 'Id of the group', examples: [3] }),
      name: Type.String({ description: 'Name of the group', examples: ['on-call'] }),
    }),
  ),
  alsoGrants: Type.Array(GrantedPermission, {
    description: 'Permissions that the user would gain in this scope. ADMIN includes all others',
  }),
  otherProjects: Type.Integer({
    description: 'Number of other projects where the group has a role, among those that the caller can read',
    examples: [0],
  }),
  replaces: Nullable(
    NamedObject('ReplacedRole', 'The root role that the user would lose, because a user has only one', {
      ...RoleName.properties,
    }),
  ),
  loses: Type.Array(Type.String(), {
    description: 'Permissions of the replaced role that the new role lacks',
    examples: [['CREATE_PROJECT']],
  }),
});
export type AccessChange = Static<typeof AccessChange>;

export const AccessExplanation = SharedObject('AccessExplanation', 'An explanation of an access decision', {
  subject: NamedObject('AccessSubject', 'The account in question', {
    id: Type.Integer({ description: '-42 for an admin token', examples: [7] }),
    name: Type.String({
      description: 'Name of the user, service account or token',
      examples: ['dora'],
    }),
    kind: Type.Unsafe<'user' | 'service-account' | 'admin-token'>({
      description: 'Kind of the account',
      type: 'string',
      enum: ['user', 'service-account', 'admin-token'],
    }),
  }),
  permission: Nullable.String({
    description: 'The permission in question. null: read access to the project',
    examples: ['UPDATE_FEATURE_ENVIRONMENT'],
  }),
  project: Nullable(
    NamedObject('AccessProject', 'The project in question. null: the instance', {
      id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
      name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
      mode: Type.String({
        description: 'Who can read the project: everyone (open, protected) or only members (private)',
        enum: ['open', 'protected', 'private'],
      }),
    }),
  ),
  environment: Nullable.String({
    description: 'The environment in question. null: all environments',
    examples: ['production'],
  }),
  allowed: Type.Boolean({ description: 'Whether the server accepts such a request' }),
  reason: Type.Unsafe<Reason>({
    type: 'string',
    enum: [
      'admin-token',
      'admin',
      'role',
      'everyone',
      'lacks-permission',
      'cannot-read-project',
      'deactivated',
    ] satisfies Reason[],
    description:
      'everyone: no permission is needed. cannot-read-project: the project is private and the subject has no role in it, so the server returns 404. deactivated: paths are the roles that would allow it if the account were reactivated',
  }),
  summary: Type.String({
    description: 'The decision as a sentence',
    examples: [
      '"dora" has UPDATE_FEATURE_ENVIRONMENT in environment "production" of project "payments", through the role "Release manager" of the group "on-call".',
    ],
  }),
  paths: Type.Array(Ref(AccessPath), {
    description: `The roles that allow it, at most ${MAX_ROLES}. If there is only one, the subject loses access without it`,
  }),
  otherRoles: Type.Array(Ref(OtherRole), {
    description: `The roles that the subject holds here and that do not allow it, at most ${MAX_ROLES}`,
  }),
  roles: Type.Array(RoleName, {
    description: `If it is not allowed: the roles that would allow it, those with the fewest permissions first, at most ${MAX_ROLES}`,
  }),
  changes: Type.Array(Ref(AccessChange), {
    description: `If it is not allowed: what would allow it, the smallest change first, at most ${MAX_CHANGES}`,
  }),
  grantors: Type.Array(
    NamedObject('AccessGrantor', {
      id: Type.Integer({ description: 'Id of the user', examples: [4] }),
      name: Type.String({ description: "The user's display name", examples: ['ada'] }),
      because: Type.Unsafe<'admin' | 'owner'>({
        description: 'admin: the user has ADMIN. owner: the user owns the project',
        type: 'string',
        enum: ['admin', 'owner'],
      }),
    }),
    {
      description: `If it is not allowed: who can make one of the changes, at most ${MAX_GRANTORS}. Project owners can grant only the roles of the project`,
    },
  ),
});
export type AccessExplanation = Static<typeof AccessExplanation>;

export type Reason =
  | 'admin-token'
  | 'admin'
  | 'role'
  | 'everyone'
  | 'lacks-permission'
  | 'cannot-read-project'
  | 'deactivated';
