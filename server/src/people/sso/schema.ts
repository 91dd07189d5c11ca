import { NamedObject, Nullable, Optional, Ref, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const LoginQuery = Type.Object({
  redirect: Optional.String({
    maxLength: 2_000,
    description: 'Path on this server to open after the login',
    examples: ['/projects/default'],
  }),
});

export const CallbackQuery = Type.Object({
  code: Optional.String({ maxLength: 8_000, description: 'Authorization code from the provider' }),
  state: Optional.String({ maxLength: 200, description: 'State of the attempt' }),
  error: Optional.String({ maxLength: 200, description: 'Error code from the provider' }),
  iss: Optional.String({ maxLength: 1_000, description: 'Issuer of the response' }),
});

const CHECKS = ['discovery', 'issuer', 'keys', 'client', 'algorithm', 'claims', 'scope', 'logout'] as const;
const RESULTS = ['passed', 'warning', 'failed'] as const;

export const OidcCheck = SharedObject('OidcCheck', 'The result of a check', {
  name: Type.Unsafe<(typeof CHECKS)[number]>({
    type: 'string',
    enum: [...CHECKS],
    description:
      'discovery: the document of the provider. issuer: the issuer in it. keys: the public keys. client: client ID and secret. claims: the data about the person that a login reads. algorithm, scope, logout: what the settings require of the provider',
    examples: ['client'],
  }),
  result: Type.Unsafe<(typeof RESULTS)[number]>({
    type: 'string',
    enum: [...RESULTS],
    description: 'warning: logins may work, but the test cannot verify it',
    examples: ['passed'],
  }),
  message: Type.String({
    description: 'The result as a sentence, without tokens or secrets',
    examples: ['The provider accepts the client ID "halyard" with its secret.'],
  }),
});
export type OidcCheck = Static<typeof OidcCheck>;

export const OidcTest = SharedObject('OidcTest', {
  passed: Type.Boolean({ description: 'Whether all checks passed', examples: [true] }),
  issuer: Nullable.String({
    description: 'The issuer in the discovery document. Null: it cannot be read',
    examples: ['https://login.example.com/realms/staff'],
  }),
  checks: Type.Array(Ref(OidcCheck)),
});
export type OidcTest = Static<typeof OidcTest>;

export const MAX_ADMINS = 100;

export const AdminLoginsQuery = Type.Object({
  issuer: Optional.String({
    maxLength: 1_000,
    description: 'Count only logins from this issuer. Default: any issuer',
    examples: ['https://login.example.com/realms/staff'],
  }),
  clientId: Optional.String({
    maxLength: 255,
    description: 'Count only logins through this client. Default: the client in the settings',
    examples: ['halyard'],
  }),
});
export type AdminLoginsQuery = Static<typeof AdminLoginsQuery>;

export const AdminLogins = SharedObject('AdminLogins', {
  admins: Type.Array(
    NamedObject('AdminLogin', {
      id: Type.Integer({ description: 'Id of the user', examples: [1] }),
      name: Nullable.String({ description: "The user's display name", examples: ['Ada Okafor'] }),
      username: Nullable.String({ description: 'The name that the user logs in with', examples: ['ada'] }),
      email: Nullable.String({ description: 'Email address of the user', examples: ['ada@example.com'] }),
      password: Type.Boolean({ description: 'Whether the user has a password' }),
      singleSignOn: Type.Boolean({
        description: 'Whether the user has logged in with single sign-on and can do so again',
      }),
    }),
    { maxItems: MAX_ADMINS, description: 'Users with ADMIN, sorted by id' },
  ),
  total: Type.Integer({ minimum: 0, description: 'The number of users with ADMIN', examples: [2] }),
  password: Type.Integer({ minimum: 0, description: 'How many of them have a password', examples: [1] }),
  singleSignOn: Type.Integer({
    minimum: 0,
    description: 'How many of them have logged in with single sign-on and can do so again',
    examples: [1],
  }),
});
export type AdminLogins = Static<typeof AdminLogins>;
