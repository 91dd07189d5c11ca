import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import { Nullable, Ref, RowId, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

/** The accepted algorithms. All of them use a key pair, so a party that can verify tokens cannot sign them. */
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
  enabled: Type.Boolean({ description: 'Whether single sign-on is enabled' }),
  discoverUrl: Nullable.String({
    maxLength: 1_000,
    description:
      'URL of the issuer, or of its discovery document under /.well-known/. Must use https, or http on this machine',
    examples: ['https://login.example.com/.well-known/openid-configuration'],
  }),
  clientId: Nullable.String({
    description: 'Client ID at the provider',
    maxLength: 255,
    examples: ['halyard'],
  }),
  autoCreate: Type.Boolean({
    description: 'Whether the first login of a user without an account creates one',
  }),
  emailDomains: Type.String({
    maxLength: 5_000,
    pattern: '^[A-Za-z0-9_.,* -]*$',
    [RULE]: 'must be a comma-separated list of domains',
    description: 'Comma-separated email domains whose users get an account. * for all domains',
    examples: ['example.com, example.org'],
  }),
  enableSingleSignOut: Type.Boolean({
    description: 'Whether logging out also ends the session at the provider',
  }),
  enableGroupSyncing: Type.Boolean({
    description: 'Whether a login updates memberships in groups that have mappingsSSO',
  }),
  groupJsonPath: Nullable.String({
    maxLength: 255,
    description: 'Name of the claim that contains the groups, or a dotted path to it. Null: `groups`',
    examples: ['realm_access.roles'],
  }),
  addGroupsScope: Type.Boolean({ description: 'Whether a login requests the scope `groups`' }),
  acrValues: Nullable.String({
    maxLength: 500,
    pattern: '^[\\x20-\\x7e]*$',
    [RULE]: 'must be printable ASCII',
    description: 'Requested authentication context classes (acr_values), separated by spaces',
    examples: ['phr'],
  }),
  idTokenSigningAlgorithm: Type.Unsafe<(typeof ALGORITHMS)[number] | null>({
    type: ['string', 'null'],
    enum: [...ALGORITHMS, null],
    description:
      'The only accepted signing algorithm of ID tokens. Null: any algorithm that the provider advertises',
    examples: ['RS256'],
  }),
};

const defaultRootRoleId = RowId({
  description: 'Id of the root role of new accounts',
  examples: [3],
});
const defaultRootRole = Type.String({
  maxLength: 100,
  description: 'Name of the root role of new accounts, if it is built in. defaultRootRoleId takes precedence',
  examples: ['Viewer'],
});
const secret = Nullable.String({
  maxLength: 1_000,
  description:
    'Client secret at the provider. Responses show *****, and a request with ***** keeps the stored secret',
});

export const OidcSettings = SharedObject('OidcSettings', {
  ...fields,
  secret,
  defaultRootRole: Type.Optional(defaultRootRole),
  defaultRootRoleId,
});
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
        secret: 'the client secret',
        autoCreate: true,
        emailDomains: 'example.com',
        defaultRootRole: 'Viewer',
      },
    ],
  },
);
export type OidcSettingsInput = Static<typeof OidcSettingsInput>;

/** The settings in the JSON column. The secret and the role have their own columns. */
export type OidcContent = Omit<OidcSettings, 'secret' | 'defaultRootRole' | 'defaultRootRoleId'>;

export const SimpleSettings = SharedObject(
  'SimpleSettings',
  { disabled: Type.Boolean({ description: 'Whether password login is disabled' }) },
  { examples: [{ disabled: false }] },
);
export type SimpleSettings = Static<typeof SimpleSettings>;

export const SamlSettings = SharedObject(
  'SamlSettings',
  { enabled: Type.Boolean({ description: 'Always false: Halyard does not support SAML' }) },
  { examples: [{ enabled: false }] },
);
export type SamlSettings = Static<typeof SamlSettings>;

export const LoginMethod = SharedObject('LoginMethod', 'A login method', {
  type: Type.Unsafe<'password' | 'oidc'>({
    type: 'string',
    enum: ['password', 'oidc'],
    description:
      '`password`: POST the username and password to the path. `oidc`: redirect the browser to the path',
    examples: ['oidc'],
  }),
  label: Type.String({ description: 'Label for the login page', examples: ['Single sign-on'] }),
  path: Type.String({ description: 'Path on this server', examples: ['/auth/oidc/login'] }),
});
export type LoginMethod = Static<typeof LoginMethod>;

export const LoginMethodList = SharedObject('LoginMethodList', { methods: Type.Array(Ref(LoginMethod)) });
