import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Caller } from '../../access/caller.ts';
import type { TokenScope } from '../../platform/actor.ts';
import { TokenScopeSchema } from './token-scope-schema.ts';

export const HeldPermission = SharedObject('HeldPermission', 'A permission, and where it applies', {
  permission: Type.String({ description: 'Name of the permission', examples: ['UPDATE_PROJECT'] }),
  project: Optional.String({ description: 'Absent: all projects', examples: ['payments'] }),
  environment: Optional.String({ description: 'Absent: all environments', examples: ['production'] }),
});

const scope = Type.Unsafe<TokenScope | null>({
  description: "The subset of its owner's permissions that the token has. null: all of them",
  anyOf: [Ref(TokenScopeSchema), { type: 'null' }],
});

const tokenKind = Type.String({
  enum: ['personal', 'service', 'agent'],
  description:
    '`personal` acts as a user, `service` as a service account, `agent` is a token that a user gave to an agent',
  examples: ['personal'],
});

const changesLeft = Nullable.Integer({
  description: 'How many changes the token can still make. null: its scope does not limit them',
  examples: [null],
});

export const Me = SharedObject('Me', {
  user: Ref(Caller),
  permissions: Type.Array(Ref(HeldPermission), {
    description: "What the request may do: the caller's permissions, limited by the scope of the token",
  }),
  token: Type.Optional(
    NamedObject('CallingToken', 'The token of the request. Absent for a session and for an admin token', {
      id: Type.Integer({ description: 'Id of the token', examples: [3] }),
      description: Type.String({ description: 'Purpose of the token', examples: ['laptop'] }),
      kind: tokenKind,
      expiresAt: Timestamp('When the token stops working'),
      scope,
      changesLeft,
    }),
  ),
  feedback: Type.Array(
    NamedObject('SeenFeedback', {
      feedbackId: Type.String({ description: 'Id of the feedback', examples: ['welcome'] }),
    }),
    {
      description: 'Always empty. Unleash clients expect the field',
    },
  ),
  splash: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Always empty. Unleash clients expect the field',
  }),
});

export type Me = Static<typeof Me>;

const rootRole = {
  id: Type.Integer({ description: 'Role id; 1 to 6 are the built-in roles', examples: [3] }),
  name: Type.String({ description: 'Name of the role', examples: ['Viewer'] }),
  type: Type.String({
    description: '`root` and `root-custom` apply on the instance, `project` and `custom` in projects',
    enum: ['root', 'root-custom', 'project', 'custom'],
    examples: ['root'],
  }),
  description: Type.String({ description: 'What the role is for', examples: ['Can read'] }),
};

export const HeldRole = SharedObject('HeldRole', 'A role that a user holds', {
  ...rootRole,
  project: Optional.String({ description: 'Project of the role. Absent: the role is a root role' }),
});
export type HeldRole = Static<typeof HeldRole>;

export const HeldRoleList = SharedObject('HeldRoleList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  roles: Type.Array(Ref(HeldRole)),
});

export const Profile = SharedObject('Profile', {
  rootRole: Nullable(NamedObject('ProfileRootRole', 'The root role of the user', rootRole)),
  groups: Type.Array(Type.String(), {
    description: "Names of the user's groups",
    examples: [['Checkout team']],
  }),
  projects: Type.Array(Type.String(), {
    description: 'Projects where the user has a role',
    examples: [['payments']],
  }),
  features: Type.Array(
    NamedObject('ProfileFeature', {
      name: Type.String({ description: 'Feature name, unique in the instance' }),
      project: Type.String({ description: 'Id of the project' }),
    }),
    {
      description: 'Always empty. Unleash clients expect the field',
    },
  ),
  subscriptions: Type.Array(Type.String(), {
    description: 'Always empty: this server sends no mail. Unleash clients expect the field',
  }),
  canChangePassword: Type.Boolean({ description: 'Whether the user has a password' }),
});
export type Profile = Static<typeof Profile>;

const description = Type.String({
  description: 'Purpose of the token',
  minLength: 1,
  maxLength: 255,
  examples: ['laptop'],
});

export const PersonalToken = SharedObject('PersonalToken', 'A personal access token', {
  id: Type.Integer({ description: 'Id of the token', examples: [3] }),
  description,
  userId: Type.Integer({ description: 'Id of the account that the token acts as', examples: [7] }),
  createdAt: Timestamp('When the token was created'),
  expiresAt: Timestamp('When the token stops working'),
  seenAt: Nullable(Timestamp('When the token was last used, to the minute. Null: never')),
  kind: tokenKind,
  scope,
  changesLeft,
  secret: Optional.String({ description: 'Only in the response that creates the token' }),
});
export type PersonalToken = Static<typeof PersonalToken>;

export const PersonalTokenList = SharedObject('PersonalTokenList', { pats: Type.Array(Ref(PersonalToken)) });

const newToken = {
  description,
  expiresAt: Type.String({
    description: 'When the token stops working',
    format: 'date-time',
    maxLength: 40,
    examples: ['2027-11-15T00:00:00.000Z'],
  }),
  scope: Type.Optional(Ref(TokenScopeSchema)),
};
const example = { description: 'laptop', expiresAt: '2027-11-15T00:00:00.000Z' };

export const NewPersonalToken = NamedObject(
  'NewPersonalToken',
  {
    ...newToken,
    kind: Optional.String({
      enum: ['personal', 'agent'],
      description:
        'agent: the token is for an agent that acts on behalf of the user. It expires within 30 days, and its scope names projects and limits the number of changes or is read-only',
      examples: ['personal'],
    }),
  },
  { examples: [example] },
);
export type NewPersonalToken = Static<typeof NewPersonalToken>;

export const NewServiceToken = NamedObject('NewServiceToken', newToken, { examples: [example] });
export type NewServiceToken = Static<typeof NewServiceToken>;
