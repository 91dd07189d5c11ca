import { NamedObject, Nullable, Ref, RowId, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MAX_OWNERS = 10;
export const MAX_OWNED_RESOURCES = 100;

const ownerType = Type.Unsafe<'user' | 'group'>({
  description: 'Whether the owner is a user or a group',
  type: 'string',
  enum: ['user', 'group'],
});

export const Owner = SharedObject('Owner', {
  type: ownerType,
  id: Type.Integer({ description: 'Id of the user or group', examples: [7] }),
  name: Type.String({
    description: 'Name of the group or user. For a user without a name, the same as `login`',
    examples: ['Alice Meyer'],
  }),
  login: Nullable.String({
    description: 'Username of the user, or the email address of a user without a username. Null for a group',
    examples: ['alice'],
  }),
  deactivated: Type.Boolean({ description: 'Whether the user is deactivated. Always false for a group' }),
});
export type Owner = Static<typeof Owner>;

export const OwnerList = SharedObject('OwnerList', {
  owners: Type.Array(Ref(Owner), { description: 'Users first, then groups, by id' }),
});
export type OwnerList = Static<typeof OwnerList>;

export const OwnersInput = NamedObject(
  'OwnersInput',
  {
    owners: Type.Array(
      NamedObject('OwnerKey', { type: ownerType, id: RowId({ description: 'Id of the user or group' }) }),
      {
        maxItems: MAX_OWNERS,
        description: 'The new owners of the feature. An empty list removes all owners',
      },
    ),
  },
  {
    examples: [
      {
        owners: [
          { type: 'user', id: 7 },
          { type: 'group', id: 3 },
        ],
      },
    ],
  },
);
export type OwnersInput = Static<typeof OwnersInput>;

export const OwnedResources = SharedObject('OwnedResources', {
  features: Type.Array(
    NamedObject('OwnedFeature', {
      name: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
      project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
      owners: Type.Integer({ description: 'Number of owners, including this user', examples: [1] }),
    }),
    { description: `Active features, sorted by name, at most ${MAX_OWNED_RESOURCES}` },
  ),
  featureCount: Type.Integer({
    description: 'Number of active features that the user owns',
    examples: [3],
  }),
  projects: Type.Array(
    NamedObject('OwnedProject', {
      id: Type.String({ description: 'Id of the project', examples: ['payments'] }),
      name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
    }),
    {
      description: `Projects where the user holds the Owner role directly, sorted by id, at most ${MAX_OWNED_RESOURCES}`,
    },
  ),
  projectCount: Type.Integer({
    description: 'Number of projects where the user holds the Owner role directly',
    examples: [1],
  }),
});
export type OwnedResources = Static<typeof OwnedResources>;
