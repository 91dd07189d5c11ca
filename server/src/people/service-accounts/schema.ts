import {
  DisplayName,
  NamedObject,
  Ref,
  RowId,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Role } from '../roles/schema.ts';
import { NewServiceToken, PersonalToken } from '../users/schema.ts';

const name = DisplayName({
  description: 'Name of the service account',
  maxLength: 255,
  examples: ['Deployment pipeline'],
});
const username = DisplayName({
  description: 'Username of the service account',
  maxLength: 255,
  examples: ['deployer'],
});
const rootRole = RowId({ description: 'Id of its root role', examples: [2] });

const readsTokenSecrets = Type.Boolean({
  description:
    'Whether the account can read, in the list of API tokens, the secrets of the tokens that it created. Terraform needs this',
  examples: [false],
});

const { secret: _, ...token } = PersonalToken.properties;

/** A token without its secret. */
export const ServiceAccountToken = SharedObject('ServiceAccountToken', token);

export const ServiceAccount = SharedObject('ServiceAccount', 'A service account', {
  id: RowId({ description: 'Id of the service account', examples: [12] }),
  isAPI: Type.Boolean({ description: 'Always true' }),
  name,
  username,
  rootRole,
  readsTokenSecrets,
  createdAt: Timestamp('When the account was created'),
  tokens: Type.Array(Ref(ServiceAccountToken), { description: 'The tokens, without their secrets' }),
});
export type ServiceAccount = Static<typeof ServiceAccount>;

export const ServiceAccountList = SharedObject('ServiceAccountList', {
  serviceAccounts: Type.Array(Ref(ServiceAccount)),
  rootRoles: Type.Array(Ref(Role), { description: 'The root roles that can be granted' }),
});

export const NewServiceAccount = NamedObject(
  'NewServiceAccount',
  {
    name: Type.Optional(name),
    username: Type.Optional({
      ...username,
      description: 'Unique among users and service accounts. Defaults to the name',
    }),
    rootRole,
    readsTokenSecrets: Type.Optional(readsTokenSecrets),
  },
  { examples: [{ name: 'Deployment pipeline', username: 'deployer', rootRole: 2 }] },
);
export type NewServiceAccount = Static<typeof NewServiceAccount>;

export const ServiceAccountUpdate = NamedObject(
  'ServiceAccountUpdate',
  {
    name: Type.Optional(name),
    rootRole: Type.Optional(rootRole),
    readsTokenSecrets: Type.Optional(readsTokenSecrets),
  },
  { examples: [{ name: 'Deployments', rootRole: 2 }] },
);
export type ServiceAccountUpdate = Static<typeof ServiceAccountUpdate>;

export const ServiceAccountTokenUpdate = NamedObject(
  'ServiceAccountTokenUpdate',
  { expiresAt: NewServiceToken.properties.expiresAt },
  { examples: [{ expiresAt: '2027-11-15T00:00:00.000Z' }] },
);
export type ServiceAccountTokenUpdate = Static<typeof ServiceAccountTokenUpdate>;
