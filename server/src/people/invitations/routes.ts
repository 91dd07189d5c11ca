import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { ROOT_ROLES } from '../../access/roles.ts';
import { rejectOtherOrigins } from '../../access/same-origin.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { makeLinkLimits } from '../passwords/link-limits.ts';
import { NewMember, User } from '../users/admin-schema.ts';
import { checkNewUser } from '../users/create.ts';
import { requireOpenToken, signUp } from './signup.ts';

const tags = ['Invitations'];
const security: [] = [];
const params = Type.Object({
  token: Type.String({
    title: 'SignupLinkToken',
    maxLength: 200,
    description: 'The token in the link',
    examples: ['hyi_3tA9…'],
  }),
});

/** Registers the routes that people without an account call with a signup link. */
export function signupRoutes(app: App, db: Db, publicUrl: string): void {
  const checkLimits = makeLinkLimits();

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
        params,
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
        params,
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
        network: toNetwork(request.ip),
      });
      const user = await change(db, { ...SYSTEM, ip: request.ip }, current =>
        signUp(current, token, newUser, request.ip),
      );
      return reply.code(201).send(user);
    },
  );
}
