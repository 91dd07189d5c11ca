import {
  DisplayName,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

/** Unleash's default. */
export const DEFAULT_ENVIRONMENT = 'development';

export const TOKEN_TYPES = ['client', 'backend', 'frontend', 'edge'] as const;

export const ApiToken = SharedObject('ApiToken', 'An API token', {
  id: Type.Integer({ description: 'Id of the token', examples: [12] }),
  secret: Type.String({
    description:
      'The whole token in the response that creates it. After that, only its first and last characters if `secure` is true',
    examples: ['payments:production.…k3Xz'],
  }),
  secure: Type.Boolean({
    description:
      'True: only the response that creates the token has the whole secret. False: the list shows it to the service account that created it',
  }),
  identifier: Type.String({
    description: 'The id of the token, for use in paths',
    examples: ['12'],
  }),
  tokenName: Type.String({ description: 'Name of the token', examples: ['checkout service'] }),
  type: Type.String({
    description:
      '`client` and `backend` are for server-side SDKs, `frontend` is for browsers, `edge` is for edges, `admin` is for the admin API',
    enum: ['admin', ...TOKEN_TYPES],
    examples: ['backend'],
  }),
  enrolment: Optional.String({
    description:
      'The string that an edge needs to start, only in the response that creates its token. It contains the secret',
  }),
  environment: Nullable.String({ description: 'Null: all environments', examples: ['production'] }),
  project: Type.String({
    description: 'The prefix of the token: the project, * for all projects, [] for several',
    examples: ['payments'],
  }),
  projects: Type.Array(Type.String(), {
    description: '["*"] for all projects',
    examples: [['payments']],
  }),
  alias: Nullable.String({ description: 'A second name, which is stored but has no effect' }),
  createdAt: Timestamp('When the token was created'),
  expiresAt: Nullable(Timestamp('When the token expires. Null: never')),
  seenAt: Nullable(Timestamp('When the token was last used, to the minute. Null: never')),
});
export type ApiToken = Static<typeof ApiToken>;

export const ApiTokenList = SharedObject('ApiTokenList', { tokens: Type.Array(Ref(ApiToken)) });

const expiresAt = Type.String({
  description: 'When the token expires. null: never',
  format: 'date-time',
  maxLength: 40,
  examples: ['2027-11-15T00:00:00.000Z'],
});

export const NewApiToken = NamedObject(
  'NewApiToken',
  {
    tokenName: Type.Optional(
      DisplayName({ description: 'Name of the token', maxLength: 255, examples: ['checkout service'] }),
    ),
    username: Type.Optional(DisplayName({ maxLength: 255, description: 'Former name of tokenName' })),
    type: Type.Unsafe<(typeof TOKEN_TYPES)[number]>({
      type: 'string',
      enum: TOKEN_TYPES,
      description:
        '`client` and `backend` are for server-side SDKs, `frontend` is for browsers, `edge` is for edges and never expires',
    }),
    environment: Optional.String({
      description: 'Name of the environment',
      minLength: 1,
      maxLength: 100,
      default: DEFAULT_ENVIRONMENT,
      examples: ['production'],
    }),
    project: Optional.String({ minLength: 1, maxLength: 100, description: 'One project, or * for all' }),
    projects: Optional.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 500,
      description: 'The projects. All projects if neither project nor projects is given',
    }),
    expiresAt: Type.Optional(Nullable(expiresAt)),
    alias: Type.Optional(
      Nullable.String({ description: 'A second name, which is stored but has no effect', maxLength: 255 }),
    ),
  },
  {
    examples: [
      { tokenName: 'checkout service', type: 'backend', environment: 'production', projects: ['payments'] },
    ],
  },
);
export type NewApiToken = Static<typeof NewApiToken>;

/** The same fields, but the project comes from the path. */
export const NewProjectToken = NamedObject('NewApiToken', NewApiToken.properties, {
  examples: [{ tokenName: 'checkout service', type: 'backend', environment: 'production' }],
});

export const ApiTokenUpdate = NamedObject(
  'ApiTokenUpdate',
  { expiresAt: Nullable(expiresAt) },
  { examples: [{ expiresAt: '2027-11-15T00:00:00.000Z' }] },
);
export type ApiTokenUpdate = Static<typeof ApiTokenUpdate>;
