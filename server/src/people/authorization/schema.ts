import { NamedObject, Nullable, Optional, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { NewServiceToken } from '../users/schema.ts';
import { MAX_QUERY_LENGTH } from './limits.ts';

const requestFields = {
  query: Optional.String({
    maxLength: MAX_QUERY_LENGTH,
    description: 'The query of the authorization URL that the client opened',
    examples: ['client_id=halyard-cli&response_type=code'],
  }),
  userCode: Optional.String({
    maxLength: 20,
    description: 'Instead of query: the code that a client without a browser shows',
    examples: ['BCDF-GHJK'],
  }),
};

export const AuthorizationPreviewRequest = NamedObject('AuthorizationPreviewRequest', requestFields, {
  examples: [{ userCode: 'BCDF-GHJK' }],
});

export const AuthorizationDecision = NamedObject(
  'AuthorizationDecision',
  {
    ...requestFields,
    allow: Type.Boolean({ description: 'false: the client gets nothing', examples: [true] }),
    token: Type.Optional(
      Type.Object(NewServiceToken.properties, {
        title: 'AllowedToken',
        description: 'The access to grant. Required if allow is true',
      }),
    ),
  },
  { examples: [{ userCode: 'BCDF-GHJK', allow: false }] },
);

const Problem = Type.Unsafe<{ error: string; message: string } | null>({
  description: 'Why the client cannot get a token, with the OAuth error code. null: it can',
  anyOf: [
    NamedObject('AuthorizationProblem', {
      error: Type.String({ description: 'Error code', examples: ['invalid_target'] }),
      message: Type.String({
        description: 'What is wrong',
        examples: ['code_challenge_method must be "S256".'],
      }),
    }),
    { type: 'null' },
  ],
});

export const AuthorizationPreview = SharedObject('AuthorizationPreview', 'A client that requests a token', {
  clientName: Type.String({
    description: 'The name that the client gives itself',
    examples: ['Halyard CLI'],
  }),
  clientHost: Nullable.String({
    description: "Host that publishes the client's metadata. null: nothing confirms the name",
    examples: [null],
  }),
  kind: Type.Unsafe<'personal' | 'agent'>({
    type: 'string',
    enum: ['personal', 'agent'],
    description: 'Kind of token: `agent` has the limits of agent tokens',
    examples: ['personal'],
  }),
  readOnly: Type.Boolean({
    description: 'true: the client requests only read access',
    examples: [false],
  }),
  redirectHost: Nullable.String({
    description: 'Host that receives the code. null if the client shows a user code',
    examples: ['127.0.0.1:51234'],
  }),
  ip: Nullable.String({ description: 'IP address of a client that shows a user code', examples: [null] }),
  problem: Problem,
});
export type AuthorizationPreview = Static<typeof AuthorizationPreview>;

export const AuthorizationResult = SharedObject('AuthorizationResult', 'Where the browser goes next', {
  redirectTo: Nullable.String({
    description:
      "The client's URL to open next. null for a user code, because the client polls for the decision",
    examples: [null],
  }),
});
