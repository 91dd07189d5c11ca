import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { rejectOtherOrigins } from '../../access/same-origin.ts';
import type { Db } from '../../platform/db/database.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { rejectWeakPassword } from '../../platform/secrets/password-strength.ts';
import { change } from '../../record/change.ts';
import { findValidLink, setPasswordByLink, toLinkActor } from './link.ts';
import { makeLinkLimits } from './link-limits.ts';
import {
  linkToken,
  PasswordByLink,
  PasswordLink,
  PasswordMail,
  PasswordToCheck,
  ResetLink,
} from './schema.ts';

const tags = ['Passwords'];
const security: [] = [];

/**
 * Registers the routes that let users without a password, or with a forgotten one, set a password through a link from an admin.
 */
export function passwordRoutes(app: App, db: Db, publicUrl: string): void {
  for (const schema of [PasswordLink, ResetLink]) app.addSchema(schema);
  const checkLimits = makeLinkLimits();

  app.get(
    '/auth/reset/validate',
    {
      schema: {
        operationId: 'validatePasswordLink',
        tags,
        summary: 'Validate a password link',
        description:
          'Returns the user that the link is for. An unknown, used or expired link is rejected with 401. Needs no authentication.',
        security,
        querystring: Type.Object({ token: linkToken }),
        response: { 200: jsonResponse('The link is valid', PasswordLink), ...errorResponses(400, 401) },
      },
    },
    async request => await findValidLink(db, request.query.token),
  );

  app.post(
    '/auth/reset/password',
    {
      schema: {
        operationId: 'setPasswordByLink',
        tags,
        summary: 'Set a password with a link',
        description:
          'Sets the password of the user that the link is for, and ends their sessions. The link works once. Needs no authentication. Events: user-password-changed.',
        security,
        body: PasswordByLink,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, publicUrl);
      const { token, password } = request.body;
      checkLimits(request.ip, token);
      const link = await findValidLink(db, token);
      rejectWeakPassword(password, link);
      const hash = await hashPassword(password, toNetwork(request.ip));
      await change(db, toLinkActor(link, request.ip), current =>
        setPasswordByLink(current, token, hash, request.ip),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    '/auth/reset/password-email',
    {
      schema: {
        operationId: 'requestPasswordMail',
        tags,
        summary: 'Request a password link by mail',
        description:
          'For Unleash clients. Does nothing, because this server sends no mail. The response is the same for every email address. An admin creates the link (createResetLink). Needs no authentication.',
        security,
        body: PasswordMail,
        response: { 200: Nothing, ...errorResponses(400, 413, 415) },
      },
    },
    async (_request, reply) => reply.code(200).send(),
  );

  app.post(
    '/auth/reset/validate-password',
    {
      schema: {
        operationId: 'validatePassword',
        tags,
        summary: 'Validate a password',
        description:
          'Checks the strength of a password. `details` lists the violations. Needs no authentication.',
        security,
        body: PasswordToCheck,
        response: { 200: Nothing, ...errorResponses(400, 413, 415) },
      },
    },
    async (request, reply) => {
      rejectWeakPassword(request.body.password);
      return reply.code(200).send();
    },
  );
}
