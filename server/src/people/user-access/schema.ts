import { NamedObject, Nullable, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { NamedRole } from '../roles/schema.ts';

export const NamedGroup = SharedObject('NamedGroup', 'A group', {
  id: Type.Integer({ description: 'Id of the group', examples: [3] }),
  name: Type.String({ description: 'Name of the group', examples: ['Checkout team'] }),
});

const group = Type.Optional(
  Type.Unsafe<Static<typeof NamedGroup>>({
    ...Ref(NamedGroup),
    description: 'The group through which the user has the role. Absent: the user holds it directly',
  }),
);

const RootGrant = NamedObject('RootGrant', { role: Ref(NamedRole), group });

const ProjectGrant = NamedObject('ProjectGrant', {
  role: Ref(NamedRole),
  group,
  grantedAt: Timestamp('When the role was granted'),
});

const ProjectOfUser = NamedObject('ProjectOfUser', {
  id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
  mode: Type.String({
    description: 'Who can read the project: everyone (open, protected) or only members (private)',
    enum: ['open', 'protected', 'private'],
    examples: ['open'],
  }),
  readable: Type.Boolean({ description: 'Whether the user can read the project' }),
  roles: Type.Array(Ref(NamedRole), {
    description:
      'The roles that give the user permissions there: those granted in the project, otherwise the root roles. A role whose permissions are all included in another one is omitted. Empty: the user can only read',
  }),
  grants: Type.Array(ProjectGrant, {
    description: 'The roles in the project; those that the user holds directly come first',
  }),
  rootRoles: Type.Array(RootGrant, {
    description: 'The roles on the instance that permit something in the project',
  }),
});
export type ProjectOfUser = Static<typeof ProjectOfUser>;

export const AccessOfUser = SharedObject('AccessOfUser', {
  rootRoles: Type.Array(RootGrant, {
    description: 'The roles on the instance; the role that the user holds directly comes first',
  }),
  groups: Type.Array(
    NamedObject('GroupOfUser', 'A group of the user', {
      id: Type.Integer({ description: 'Id of the group', examples: [3] }),
      name: Type.String({ description: 'Name of the group', examples: ['Checkout team'] }),
      joinedAt: Timestamp('When the user was added to the group'),
      createdBy: Type.String({ description: 'User who added the member', examples: ['ada'] }),
    }),
  ),
  projects: Type.Array(ProjectOfUser, { description: 'All active projects, sorted by name' }),
  sessions: Type.Array(
    NamedObject('SessionOfUser', {
      method: Type.String({
        description: 'How the user logged in',
        enum: ['password', 'oidc'],
        examples: ['password'],
      }),
      ip: Nullable.String({
        description: 'IP address of the login. Null: unknown',
        examples: ['203.0.113.7'],
      }),
      seenAt: Timestamp('When the session was last used, to the minute'),
    }),
    { description: 'The open sessions, most recently used first, at most 100' },
  ),
  tokens: Type.Array(
    NamedObject('TokenOfUser', {
      id: Type.Integer({ description: 'Id of the token', examples: [3] }),
      description: Type.String({ description: 'Purpose of the token', examples: ['laptop'] }),
      expiresAt: Timestamp('When the token stops working'),
      seenAt: Nullable(Timestamp('When the token was last used, to the minute. Null: never')),
    }),
    { description: "The user's personal access tokens, without their secrets" },
  ),
});
export type AccessOfUser = Static<typeof AccessOfUser>;
