import { Named, NamedObject, Nullable } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { NewServiceToken } from '../users/schema.ts';
import { MAX_QUERY_LENGTH } from './limits.ts';

const requestFields = {
  query: Type.Optional(
    Type.String({
      maxLength: MAX_QUERY_LENGTH,
      description: 'The query of the authorization URL that the program opened',
      examples: ['client_id=halyard-cli&response_type=code'],
    }),
  ),
  userCode: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Instead of query: the code that a program without a browser shows',
      examples: ['BCDF-GHJK'],
    }),
  ),
};

export const AskedAuthorization = NamedObject('AskedAuthorization', requestFields, {
  examples: [{ userCode: 'BCDF-GHJK' }],
});

export const AuthorizationDecision = NamedObject(
  'AuthorizationDecision',
  {
    ...requestFields,
    allow: Type.Boolean({ description: 'false: the program gets nothing', examples: [true] }),
    token: Type.Optional(
      Type.Object(NewServiceToken.properties, {
        title: 'AllowedToken',
        description: 'What to allow. Required if allow is true',
      }),
    ),
  },
  { examples: [{ userCode: 'BCDF-GHJK', allow: false }] },
);

const Problem = Type.Unsafe<{ error: string; message: string } | null>({
  description: 'Why the program cannot get a token, with the error code of OAuth. null: it can',
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

export const AuthorizationPreview = Named(
  'AuthorizationPreview',
  Type.Object(
    {
      clientName: Type.String({
        description: 'What the program calls itself',
        examples: ['Halyard command line'],
      }),
      clientHost: Nullable(
        Type.String({
          description: "Host that publishes the program's metadata. null: nothing confirms the name",
          examples: [null],
        }),
      ),
      kind: Type.Unsafe<'personal' | 'agent'>({
        type: 'string',
        enum: ['personal', 'agent'],
        description: 'Kind of token: `agent` has the limits of agent tokens',
        examples: ['personal'],
      }),
      readOnly: Type.Boolean({ description: 'true: the program asks for reading only', examples: [false] }),
      redirectHost: Nullable(
        Type.String({
          description: 'Host that gets the code. null for a user code',
          examples: ['127.0.0.1:51234'],
        }),
      ),
      ip: Nullable(
        Type.String({ description: 'IP address of a program that shows a user code', examples: [null] }),
      ),
      problem: Problem,
    },
    { description: 'A program that asks for a token' },
  ),
);
export type AuthorizationPreview = Static<typeof AuthorizationPreview>;

export const AuthorizationResult = Named(
  'AuthorizationResult',
  Type.Object(
    {
      redirectTo: Nullable(
        Type.String({
          description:
            'URL of the program to open next. null for a user code: the program learns it by itself',
          examples: [null],
        }),
      ),
    },
    { description: 'What happens next' },
  ),
);
