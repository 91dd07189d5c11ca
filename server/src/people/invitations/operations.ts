import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { checkExpiry, createSignupToken } from './create.ts';
import { NewSignupToken, SignupToken, SignupTokenList, SignupTokenUpdate } from './schema.ts';
import { findSignupToken, listSignupTokens, type SignupTokenKey } from './store.ts';
import { changeSignupToken } from './update.ts';

const params = Type.Object({
  token: Type.String({
    title: 'SignupTokenOrId',
    maxLength: 200,
    description: 'The token itself, or its id',
    examples: ['2'],
  }),
});

/** Returns the key for a signup link in a path. Up to nine digits are an id, because a secret is longer. */
const toSignupTokenKey = (token: string): SignupTokenKey =>
  /^\d{1,9}$/.test(token) ? { id: Number(token) } : { hash: hashToken(token) };

export const INVITATIONS: OperationModule = {
  tag: 'Invitations',
  schemas: [SignupToken, SignupTokenList],
  operations: [
    query({
      id: 'getSignupTokens',
      route: 'GET /api/admin/invite-link/tokens',
      summary: 'List signup links',
      description: 'Returns all signup links with the users who signed up, without their secrets.',
      permission: ['ADMIN'],
      output: jsonResponse('The links', SignupTokenList),
      read: async ({ db }) => ({ tokens: await listSignupTokens(db) }),
    }),
    command({
      id: 'createSignupToken',
      route: 'POST /api/admin/invite-link/tokens',
      summary: 'Create a signup link',
      description:
        'Creates a link that lets anyone sign up as Viewer until it expires or is disabled. Only this response has the secret.',
      permission: ['ADMIN'],
      body: NewSignupToken,
      output: jsonResponse('The new link, with its secret', SignupToken),
      status: 201,
      returnsSecret: true,
      rejectUnknownFieldsExcept: [],
      checks: [
        ({ body }) => {
          if (body.expiresAt !== undefined) checkExpiry(body.expiresAt);
        },
      ],
      events: ['public-signup-token-created'],
      run: (current, { body }, { publicUrl }) => createSignupToken(current, body, publicUrl),
    }),
    query({
      id: 'getSignupToken',
      route: 'GET /api/admin/invite-link/tokens/:token',
      summary: 'Get a signup link',
      description: 'Returns one signup link with the users who signed up, without its secret.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The link', SignupToken),
      read: async ({ db }, { params }) => {
        const token = await findSignupToken(db, toSignupTokenKey(params.token));
        if (!token) throw notFound('This signup link');
        return token;
      },
    }),
    command({
      id: 'updateSignupToken',
      route: 'PUT /api/admin/invite-link/tokens/:token',
      summary: 'Update a signup link',
      description: 'Enables or disables the link, or changes when it expires.',
      permission: ['ADMIN'],
      params,
      body: SignupTokenUpdate,
      output: jsonResponse('The link', SignupToken),
      rejectUnknownFieldsExcept: [],
      events: ['public-signup-token-updated'],
      run: (current, { params: { token }, body }) =>
        changeSignupToken(current, toSignupTokenKey(token), body),
    }),
  ],
};
