import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import {
  Named,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { password } from '../passwords/schema.ts';
import { HeldRole } from './schema.ts';

const MAX_ID = 2_147_483_647;

const id = Type.Integer({ description: 'Id of the user', examples: [7] });
const displayName = Nullable.String({ description: "The user's display name", examples: ['Alice Moreau'] });
const loginName = Nullable.String({
  description: 'The name that the user logs in with',
  examples: ['alice'],
});
const emailAddress = Nullable.String({
  description: 'Email address of the user',
  examples: ['alice@example.com'],
});

export const User = SharedObject('User', 'A user', {
  id,
  name: displayName,
  username: loginName,
  email: emailAddress,
  rootRole: Nullable.Integer({ description: 'Id of the root role', examples: [3] }),
  isAPI: Type.Boolean({ description: 'Always false: service accounts are not users' }),
  imageUrl: Type.String({
    description: 'URL of a Gravatar image, derived from the hash of the username or email address',
  }),
  accountType: Type.String({
    description: 'Always User: service accounts are not users',
    examples: ['User'],
  }),
  createdAt: Timestamp('When the user was created'),
  seenAt: Nullable(Timestamp('Last use of a session or personal token, to the minute. Null: never')),
  deactivatedAt: Nullable(Timestamp('When the user was deactivated. Null: the user is active')),
  inviteLink: Optional.String({
    description:
      'Page where the user sets a password. The link can be used once, within a week. Only in the response that creates a user without a password',
    examples: ['https://flags.example.com/new-user?token=hyl_3tA9…'],
  }),
  emailSent: Optional.Boolean({
    description: 'Always false: this server sends no mail. Only in the response that creates a user',
  }),
});
export type User = Static<typeof User>;

/** A user in the list, with the fields that help to tell users apart. */
export const ListedUser = SharedObject('ListedUser', 'A user', {
  ...User.properties,
  hasPassword: Type.Boolean({ description: 'Whether the user can log in with a password' }),
  hasSingleSignOn: Type.Boolean({ description: 'Whether the user has logged in with single sign-on' }),
  invitedUntil: Nullable(
    Timestamp('When the link for setting the first password expires. Null: there is no such link'),
  ),
  groups: Type.Array(Type.String(), {
    description: "Names of the user's groups",
    examples: [['Checkout team']],
  }),
});
export type ListedUser = Static<typeof ListedUser>;

export const UserList = SharedObject('UserList', {
  users: Type.Array(Ref(ListedUser)),
  rootRoles: Type.Array(Ref(HeldRole)),
});

export const Person = SharedObject('Person', 'A user', {
  id,
  name: displayName,
  username: loginName,
  email: emailAddress,
});
export type Person = Static<typeof Person>;

export const PersonList = Named('PersonList', Type.Array(Ref(Person)));

export const AccessCandidates = SharedObject('AccessCandidates', {
  users: Type.Array(Ref(Person)),
  groups: Type.Array(
    NamedObject('AccessCandidateGroup', 'A group that can be granted roles', {
      id: Type.Integer({ description: 'Id of the group', examples: [3] }),
      name: Type.String({ description: 'Name of the group', examples: ['Checkout team'] }),
      description: Nullable.String({ description: 'What the group is for' }),
      userCount: Type.Integer({ description: 'Number of members', examples: [4] }),
    }),
  ),
});
export type AccessCandidates = Static<typeof AccessCandidates>;

export const AdminCount = SharedObject('AdminCount', {
  password: Type.Integer({ description: 'Admins with a password', examples: [2] }),
  noPassword: Type.Integer({ description: 'Admins without a password', examples: [0] }),
  service: Type.Integer({ description: 'Service accounts with ADMIN', examples: [0] }),
});
export type AdminCount = Static<typeof AdminCount>;

const OverviewItem = NamedObject('OverviewPermission', 'A permission, and whether the user has it', {
  id: Type.Integer({ description: 'Id of the permission', examples: [1_001] }),
  displayName: Type.String({ description: 'Display name', examples: ['Update project'] }),
  name: Type.String({ description: 'Name of the permission', examples: ['UPDATE_PROJECT'] }),
  type: Type.String({
    description: 'Whether the permission applies on the instance (root), in a project or in an environment',
    enum: ['root', 'project', 'environment'],
  }),
  environment: Optional.String({
    description:
      'The environment in the request. Absent: the request names none, or the permission does not apply to environments',
  }),
  hasPermission: Type.Boolean({ description: 'Whether the user has the permission' }),
});

export const PermissionOverview = SharedObject('PermissionOverview', {
  overview: NamedObject('OverviewPermissions', 'All permissions by scope', {
    root: Type.Array(OverviewItem),
    project: Type.Array(OverviewItem),
    environment: Type.Array(OverviewItem),
  }),
  user: Ref(User),
  rootRole: Nullable(NamedObject('HeldRootRole', 'The root role of the user', { ...HeldRole.properties })),
  projectRoles: Type.Array(Ref(HeldRole)),
});
export type PermissionOverview = Static<typeof PermissionOverview>;

// Unleash clients send an empty string for a missing value.
const name = Type.String({
  description: "The user's display name",
  maxLength: 255,
  examples: ['Alice Moreau'],
});
const username = Type.String({
  maxLength: 100,
  pattern: '^([^\\p{C}\\p{Z}]([^\\p{C}]*[^\\p{C}\\p{Z}])?)?$',
  [RULE]: 'must not start or end with whitespace or contain control characters',
  description: 'Unique, case-insensitive. May contain an @ only if it equals the email address of the user',
  examples: ['alice'],
});
const email = Type.String({
  maxLength: 254,
  pattern: '^([^\\s\\p{C}@]+@[^\\s\\p{C}@]+)?$',
  [RULE]: 'must be an email address',
  description: 'Unique, case-insensitive',
  examples: ['alice@example.com'],
});
const rootRole = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 1,
  maximum: MAX_ID,
  maxLength: 100,
  description: 'Id or name of a root role',
  examples: [3],
});

export const NewUser = NamedObject(
  'NewUser',
  {
    username: Type.Optional(Nullable(username)),
    email: Type.Optional(Nullable(email)),
    name: Type.Optional(Nullable(name)),
    password: Type.Optional(Nullable(password)),
    rootRole,
    sendEmail: Optional.Boolean({ description: 'Ignored: this server sends no mail' }),
  },
  { examples: [{ username: 'alice', email: 'alice@example.com', name: 'Alice Moreau', rootRole: 3 }] },
);
export type NewUser = Static<typeof NewUser>;

export const UserUpdate = NamedObject(
  'UserUpdate',
  {
    email: Type.Optional(Nullable(email)),
    name: Type.Optional(Nullable(name)),
    rootRole: Type.Optional(rootRole),
  },
  { examples: [{ name: 'Alice Moreau', email: 'alice@example.com', rootRole: 2 }] },
);
export type UserUpdate = Static<typeof UserUpdate>;

/** The fields of a user who signs up with a link. */
export const NewMember = NamedObject(
  'NewMember',
  { username: Type.Optional(Nullable(username)), email, name: Type.Optional(Nullable(name)), password },
  {
    examples: [
      { email: 'alice@example.com', name: 'Alice Moreau', password: 'correct horse battery staple' },
    ],
  },
);

export const UserKey = NamedObject(
  'UserKey',
  {
    id: Type.Unsafe<number | string>({
      type: ['integer', 'string'],
      minimum: 1,
      maximum: MAX_ID,
      minLength: 1,
      maxLength: 254,
      description: 'Id or email address of the user. Unleash clients send the email address',
      examples: [7],
    }),
  },
  { examples: [{ id: 7 }] },
);

export const InactiveUser = SharedObject('InactiveUser', 'A user without recent requests', {
  id,
  name: displayName,
  username: loginName,
  email: emailAddress,
  createdAt: Timestamp('When the user was created'),
  seenAt: Nullable(Timestamp('Last use of a session or personal token. Null: never')),
  patSeenAt: Nullable(Timestamp('Last use of a personal token that still exists. Null: never')),
});
export type InactiveUser = Static<typeof InactiveUser>;

export const InactiveUserList = SharedObject('InactiveUserList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  inactiveUsers: Type.Array(Ref(InactiveUser)),
});

export const UserIds = NamedObject(
  'UserIds',
  {
    ids: Type.Array(Type.Integer({ minimum: 1, maximum: MAX_ID }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'Ids of inactive users',
    }),
  },
  { examples: [{ ids: [17, 23] }] },
);
