import {
  DisplayName,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  RowId,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { NamedRole } from '../roles/schema.ts';

const name = DisplayName({ description: 'Name of the group', examples: ['Checkout team'] });
const description = Nullable.String({
  description: 'What the group is for',
  maxLength: 500,
  examples: ['Builds the checkout'],
});
const mappingsSSO = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  description: 'Identity provider groups whose members single sign-on adds to this group',
  examples: [['checkout-developers']],
});
const rootRole = Nullable(
  RowId({ description: 'Id of the root role of all members. Null: no root role', examples: [3] }),
);

/** A user or service account, as lists of groups and projects show them. */
export const Member = SharedObject('Member', 'A user or service account', {
  id: RowId({ description: 'Id of the user', examples: [7] }),
  name: Nullable.String({ description: "The user's display name", examples: ['Alice Moreau'] }),
  username: Nullable.String({ description: 'The name that the user logs in with', examples: ['alice'] }),
  email: Nullable.String({ description: 'Email address of the user', examples: ['alice@example.com'] }),
  isAPI: Type.Boolean({ description: 'true for a service account' }),
});

export const GroupMember = SharedObject('GroupMember', 'A member of a group', {
  joinedAt: Timestamp('When the user was added to the group'),
  createdBy: Type.String({ description: 'User who added the member', examples: ['ada'] }),
  user: Ref(Member),
});

export const Group = SharedObject('Group', 'A group of users', {
  id: RowId({ description: 'Id of the group' }),
  name,
  description,
  mappingsSSO,
  rootRole,
  createdAt: Timestamp('When the group was created'),
  createdBy: Type.String({ description: 'User who created it', examples: ['ada'] }),
  users: Type.Array(Ref(GroupMember)),
  userCount: Type.Integer({ description: 'Number of members', examples: [4] }),
  projects: Type.Array(Type.String(), {
    description: 'Projects where the group has a role',
    examples: [['payments']],
  }),
});
export type Group = Static<typeof Group>;

export const GroupProjects = SharedObject('GroupProjects', {
  projects: Type.Array(
    NamedObject('ProjectOfGroup', {
      id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
      name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
      roles: Type.Array(Ref(NamedRole)),
      grantedAt: Timestamp('When the first of the roles was granted'),
    }),
    { description: 'The projects where the group has roles, sorted by name' },
  ),
});
export type GroupProjects = Static<typeof GroupProjects>;

export const GroupList = SharedObject('GroupList', { groups: Type.Array(Ref(Group)) });

export const GroupInput = NamedObject(
  'GroupInput',
  {
    name,
    description: Type.Optional(description),
    mappingsSSO: Type.Optional(mappingsSSO),
    rootRole: Type.Optional(rootRole),
    users: Optional.Array(
      NamedObject('GroupMemberInput', {
        user: NamedObject('UserReference', 'A user', {
          id: RowId({ description: 'Id of the user', examples: [7] }),
        }),
      }),
      {
        maxItems: 5_000,
        description: 'The members, which replace all current members',
      },
    ),
  },
  {
    examples: [{ name: 'Checkout team', description: 'Builds the checkout', mappingsSSO: [], users: [] }],
  },
);
export type GroupInput = Static<typeof GroupInput>;
