import { Type } from 'typebox';
import { ROOT_ROLES } from '../../access/roles.ts';
import { rejectOtherOrigins } from '../../access/same-origin.ts';
import { hashToken } from '../../access/token.ts';
import { SYSTEM } from '../../platform/actor.ts';
import { networkOf } from '../../platform/admission/network.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { makeLinkLimits } from '../passwords/link-limits.ts';
import { NewMember, User } from '../users/admin-schema.ts';
import { checkNewUser } from '../users/create.ts';
import { checkExpiry, createSignupToken } from './create.ts';
import { NewSignupToken, SignupToken, SignupTokenList, SignupTokenUpdate } from './schema.ts';
import { requireOpenToken, signUp } from './signup.ts';
import { findSignupToken, listSignupTokens, type SignupTokenKey } from './store.ts';
import { changeSignupToken } from './update.ts';

const tags = ['Invitations'];
const config = { permission: ['ADMIN'] } as const;
const security: [] = [];
const params = Type.Object({
  token: Type.String({
    title: 'SignupTokenOrId',
    maxLength: 200,
    description: 'The token itself, or its id',
    examples: ['2'],
  }),
});
const publicParams = Type.Object({
  token: Type.String({
    title: 'SignupLinkToken',
    maxLength: 200,
    description: 'The token in the link',
    examples: ['hyi_3tA9…'],
  }),
});

export function invitationRoutes(app: App, db: Db, publicUrl: string): void {
  for (const schema of [SignupToken, SignupTokenList]) app.addSchema(schema);
  const checkLimits = makeLinkLimits();

  app.get(
    '/api/admin/invite-link/tokens',
    {
      config,
      schema: {
        operationId: 'getSignupTokens',
        tags,
        summary: 'List signup links',
        description:
          'Returns all signup links with the users who signed up, without their secrets. Requires ADMIN.',
        response: { 200: jsonResponse('The links', SignupTokenList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ tokens: await listSignupTokens(db) }),
  );

  app.post(
    '/api/admin/invite-link/tokens',
    {
      config: {
        ...config,
        returnsSecret: true,
        rejectUnknownFields: [],
        checks: [
          ({ body }) => {
            if (body.expiresAt !== undefined) checkExpiry(body.expiresAt);
          },
        ],
      },
      schema: {
        operationId: 'createSignupToken',
        tags,
        summary: 'Create a signup link',
        description:
          'Creates a link with which anyone can sign up as Viewer until it expires or is disabled. Only this response has the secret. Requires ADMIN. Events: public-signup-token-created.',
        body: NewSignupToken,
        response: {
          201: jsonResponse('The new link, with its secret', SignupToken),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const token = await change(db, actor, current => createSignupToken(current, body, publicUrl));
      return reply.code(201).send(token);
    },
  );

  app.get(
    '/api/admin/invite-link/tokens/:token',
    {
      config,
      schema: {
        operationId: 'getSignupToken',
        tags,
        summary: 'Get a signup link',
        description:
          'Returns one signup link with the users who signed up, without its secret. Requires ADMIN.',
        params,
        response: { 200: jsonResponse('The link', SignupToken), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async request => {
      const token = await findSignupToken(db, signupTokenKey(request.params.token));
      if (!token) throw notFound('This signup link');
      return token;
    },
  );

  app.put(
    '/api/admin/invite-link/tokens/:token',
    {
      config: { ...config, rejectUnknownFields: [] },
      schema: {
        operationId: 'updateSignupToken',
        tags,
        summary: 'Update a signup link',
        description:
          'Enables or disables the link, or changes when it expires. Requires ADMIN. Events: public-signup-token-updated.',
        params,
        body: SignupTokenUpdate,
        response: {
          200: jsonResponse('The link', SignupToken),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = signupTokenKey(request.params.token);
      return await change(db, request.actor, current => changeSignupToken(current, key, request.body));
    },
  );

  app.get(
    '/invite/:token/validate',
    {
      schema: {
        operationId: 'validateSignupToken',
        tags,
        summary: 'Validate a signup link',
        description:
          'Checks that people can sign up with the link. An unknown, disabled or expired link is rejected with 401. Needs no authentication.',
        security,
        params: publicParams,
        response: { 200: Nothing, ...errorResponses(400, 401) },
      },
    },
    async (request, reply) => {
      await requireOpenToken(db, request.params.token);
      return reply.code(200).send();
    },
  );

  app.post(
    '/invite/:token/signup',
    {
      schema: {
        operationId: 'signUp',
        tags,
        summary: 'Sign up with a link',
        description:
          'Creates a user with the root role Viewer. The user then logs in with their password. Needs no authentication. Events: user-created, public-signup-token-user-added.',
        security,
        params: publicParams,
        body: NewMember,
        response: {
          201: jsonResponse('The new user', User),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, publicUrl);
      const { token } = request.params;
      checkLimits(request.ip, token);
      await requireOpenToken(db, token);
      const viewer = { ...request.body, rootRole: ROOT_ROLES.Viewer };
      const newUser = await checkNewUser(viewer, {
        selfChosen: true,
        network: networkOf(request.ip),
      });
      const user = await change(db, { ...SYSTEM, ip: request.ip }, current =>
        signUp(current, token, newUser, request.ip),
      );
      return reply.code(201).send(user);
    },
  );
}

/** Up to nine digits are an id. A secret is longer. */
const signupTokenKey = (token: string): SignupTokenKey =>
  /^\d{1,9}$/.test(token) ? { id: Number(token) } : { hash: hashToken(token) };
