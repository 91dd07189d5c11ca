import { type Static, Type } from 'typebox';
import { Named, Nullable, Ref, RowId } from '../../platform/http/schema.ts';
import { RULE } from '../../platform/http/violations.ts';

/** Signed with a key pair only: whoever can check such a token cannot make one. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const fields = {
  enabled: Type.Boolean({ description: 'Whether anybody can log in this way' }),
  discoverUrl: Nullable(
    Type.String({
      maxLength: 1_000,
      description:
        'The issuer, or its document below /.well-known/. An https address; http only on this machine',
      examples: ['https://login.example.com/.well-known/openid-configuration'],
    }),
  ),
  clientId: Nullable(Type.String({ maxLength: 255, examples: ['halyard'] })),
  autoCreate: Type.Boolean({ description: 'Whether an account is made for who has none' }),
  emailDomains: Type.String({
    maxLength: 5_000,
    pattern: '^[A-Za-z0-9_.,* -]*$',
    [RULE]: 'must be domains, separated by commas',
    description: 'Domains of the addresses that accounts are made for, separated by commas; * for all',
    examples: ['example.com, example.org'],
  }),
  enableSingleSignOut: Type.Boolean({ description: 'Whether logging out goes on to the provider' }),
  enableGroupSyncing: Type.Boolean({
    description: 'Whether the provider says who is in the groups that have mappingsSSO',
  }),
  groupJsonPath: Nullable(
    Type.String({
      maxLength: 255,
      description: 'Claim that holds the groups: its name, or a path with dots; null: groups',
      examples: ['realm_access.roles'],
    }),
  ),
  addGroupsScope: Type.Boolean({ description: 'Whether the scope groups is asked for' }),
  acrValues: Nullable(
    Type.String({
      maxLength: 500,
      pattern: '^[\\x20-\\x7e]*$',
      [RULE]: 'must be printable ASCII',
      description: 'How the provider is asked to have authenticated the user, separated by blanks',
      examples: ['phr'],
    }),
  ),
  idTokenSigningAlgorithm: Type.Unsafe<(typeof ALGORITHMS)[number] | null>({
    type: ['string', 'null'],
    enum: [...ALGORITHMS, null],
    description: 'The one algorithm that ID tokens are accepted with; null: any the provider names',
    examples: ['RS256'],
  }),
};

const defaultRootRoleId = RowId({
  description: 'Id of the root role that new accounts have',
  examples: [3],
});
const defaultRootRole = Type.String({
  maxLength: 100,
  description: 'Name of that role, if it is built in; defaultRootRoleId goes before it',
  examples: ['Viewer'],
});
const secret = Nullable(
  Type.String({
    maxLength: 1_000,
    description: 'Of the client at the provider. Never shown: ***** says that there is one, and leaves it',
  }),
);

export const OidcSettings = Named(
  'OidcSettings',
  Type.Object({
    ...fields,
    secret,
    defaultRootRole: Type.Optional(defaultRootRole),
    defaultRootRoleId,
  }),
);
export type OidcSettings = Static<typeof OidcSettings>;

export const OidcSettingsInput = Type.Partial(
  Type.Object({ ...fields, secret, defaultRootRole, defaultRootRoleId }),
  {
    title: 'OidcSettingsInput',
    examples: [
      {
        enabled: false,
        discoverUrl: 'https://login.example.com/.well-known/openid-configuration',
        clientId: 'halyard',
        secret: 'the secret of the client',
        autoCreate: true,
        emailDomains: 'example.com',
        defaultRootRole: 'Viewer',
      },
    ],
  },
);
export type OidcSettingsInput = Static<typeof OidcSettingsInput>;

/** What is stored in the open; the secret and the role have columns of their own. */
export type OidcContent = Omit<OidcSettings, 'secret' | 'defaultRootRole' | 'defaultRootRoleId'>;

export const SimpleSettings = Named(
  'SimpleSettings',
  Type.Object(
    { disabled: Type.Boolean({ description: 'Whether logging in with a password is switched off' }) },
    { examples: [{ disabled: false }] },
  ),
);
export type SimpleSettings = Static<typeof SimpleSettings>;

export const SamlSettings = Named(
  'SamlSettings',
  Type.Object(
    { enabled: Type.Boolean({ description: 'Always false: single sign-on is by OpenID Connect here' }) },
    { examples: [{ enabled: false }] },
  ),
);
export type SamlSettings = Static<typeof SamlSettings>;

export const LoginMethod = Named(
  'LoginMethod',
  Type.Object({
    type: Type.Unsafe<'password' | 'oidc'>({
      type: 'string',
      enum: ['password', 'oidc'],
      description: 'password: send username and password by POST; oidc: send the browser there',
      examples: ['oidc'],
    }),
    label: Type.String({ description: 'For people', examples: ['Single sign-on'] }),
    path: Type.String({ description: 'Where on this server', examples: ['/auth/oidc/login'] }),
  }),
);
export type LoginMethod = Static<typeof LoginMethod>;

export const LoginMethodList = Named(
  'LoginMethodList',
  Type.Object({ methods: Type.Array(Ref(LoginMethod)) }),
);
