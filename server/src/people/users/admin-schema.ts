import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { RULE } from '../../platform/http/violations.ts';
import { password } from '../passwords/schema.ts';
import { HeldRole } from './schema.ts';

const MAX_ID = 2_147_483_647;

const id = Type.Integer({ examples: [7] });
const shownName = Nullable(Type.String({ examples: ['Alice Moreau'] }));
const shownUsername = Nullable(Type.String({ examples: ['alice'] }));
const shownEmail = Nullable(Type.String({ examples: ['alice@example.com'] }));

export const User = Named(
  'User',
  Type.Object({
    id,
    name: shownName,
    username: shownUsername,
    email: shownEmail,
    rootRole: Nullable(Type.Integer({ description: 'Id of the root role', examples: [3] })),
    isAPI: Type.Boolean({ description: 'false: it is a user' }),
    createdAt: Timestamp('When the user was created'),
    seenAt: Nullable(Timestamp('Last use of a session or personal token, to the minute; null: never')),
    inviteLink: Type.Optional(
      Type.String({
        description:
          'Only in the answer that creates a user without a password: where they set one, once and within a week',
        examples: ['https://flags.example.com/new-user?token=hyl_3tA9…'],
      }),
    ),
    emailSent: Type.Optional(
      Type.Boolean({
        description: 'Only in the answer that creates a user; false: this server sends no mail',
      }),
    ),
  }),
);
export type User = Static<typeof User>;

export const UserList = Named(
  'UserList',
  Type.Object({ users: Type.Array(Ref(User)), rootRoles: Type.Array(Ref(HeldRole)) }),
);

export const Person = Named(
  'Person',
  Type.Object({ id, name: shownName, username: shownUsername, email: shownEmail }),
);
export type Person = Static<typeof Person>;

export const PersonList = Named('PersonList', Type.Array(Ref(Person)));

export const AccessCandidates = Named(
  'AccessCandidates',
  Type.Object({
    users: Type.Array(Ref(Person)),
    groups: Type.Array(
      NamedObject('AccessCandidateGroup', {
        id: Type.Integer({ examples: [3] }),
        name: Type.String({ examples: ['Checkout team'] }),
        description: Nullable(Type.String()),
        userCount: Type.Integer({ examples: [4] }),
      }),
    ),
  }),
);
export type AccessCandidates = Static<typeof AccessCandidates>;

export const AdminCount = Named(
  'AdminCount',
  Type.Object({
    password: Type.Integer({ description: 'Admins who can log in with a password', examples: [2] }),
    noPassword: Type.Integer({ description: 'Admins who cannot', examples: [0] }),
    service: Type.Integer({ description: 'Service accounts that are admins', examples: [0] }),
  }),
);
export type AdminCount = Static<typeof AdminCount>;

const OverviewItem = NamedObject('OverviewPermission', {
  name: Type.String({ examples: ['UPDATE_PROJECT'] }),
  type: Type.String({ enum: ['root', 'project', 'environment'] }),
  environment: Type.Optional(Type.String()),
  hasPermission: Type.Boolean(),
});

export const PermissionOverview = Named(
  'PermissionOverview',
  Type.Object({
    overview: NamedObject('OverviewPermissions', {
      root: Type.Array(OverviewItem),
      project: Type.Array(OverviewItem),
      environment: Type.Array(OverviewItem),
    }),
    user: Ref(User),
    rootRole: Nullable(NamedObject('HeldRootRole', { ...HeldRole.properties })),
    projectRoles: Type.Array(Ref(HeldRole)),
  }),
);
export type PermissionOverview = Static<typeof PermissionOverview>;

// Existing clients send an empty text for what is not there.
const name = Type.String({ maxLength: 255, examples: ['Alice Moreau'] });
const username = Type.String({
  maxLength: 100,
  pattern: '^([^\\p{C}\\p{Z}]([^\\p{C}]*[^\\p{C}\\p{Z}])?)?$',
  [RULE]: 'must not start or end with a blank, nor hold control characters',
  description: 'Unique whatever its case. Holds an @ only if it is the address of the same user',
  examples: ['alice'],
});
const email = Type.String({
  maxLength: 254,
  pattern: '^([^\\s\\p{C}@]+@[^\\s\\p{C}@]+)?$',
  [RULE]: 'must be an e-mail address',
  description: 'Unique whatever its case',
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
    sendEmail: Type.Optional(
      Type.Boolean({ description: 'Accepted and without effect: this server sends no mail' }),
    ),
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

/** What one says of oneself when joining by a signup link. */
export const NewMember = NamedObject(
  'NewMember',
  { username: Type.Optional(Nullable(username)), email, name: Type.Optional(Nullable(name)), password },
  {
    examples: [
      { email: 'alice@example.com', name: 'Alice Moreau', password: 'correct horse battery staple' },
    ],
  },
);
export type NewMember = Static<typeof NewMember>;

export const UserKey = NamedObject(
  'UserKey',
  {
    id: Type.Unsafe<number | string>({
      type: ['integer', 'string'],
      minimum: 1,
      maximum: MAX_ID,
      maxLength: 9,
      pattern: '^[0-9]{1,9}$',
      [RULE]: 'must be a whole number',
      description: 'Id of the user',
      examples: [7],
    }),
  },
  { examples: [{ id: 7 }] },
);

export const InactiveUser = Named(
  'InactiveUser',
  Type.Object({
    id,
    name: shownName,
    username: shownUsername,
    email: shownEmail,
    createdAt: Timestamp('When the user was created'),
    seenAt: Nullable(Timestamp('Last use of a session or personal token; null: never')),
    patSeenAt: Nullable(Timestamp('Last use of a personal token that still exists; null: never')),
  }),
);
export type InactiveUser = Static<typeof InactiveUser>;

export const InactiveUserList = Named(
  'InactiveUserList',
  Type.Object({
    version: Type.Integer({ description: 'Version of this format', examples: [1] }),
    inactiveUsers: Type.Array(Ref(InactiveUser)),
  }),
);

export const UserIds = NamedObject(
  'UserIds',
  {
    ids: Type.Array(Type.Integer({ minimum: 1, maximum: MAX_ID }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'Ids of users that are inactive',
    }),
  },
  { examples: [{ ids: [17, 23] }] },
);
