import { Type } from 'typebox';
import { rejectOtherOrigins } from '../../access/same-origin.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { change } from '../../record/change.ts';
import { asActor, findValidLink, setPasswordByLink } from './link.ts';
import {
  linkToken,
  PasswordByLink,
  PasswordLink,
  PasswordMail,
  PasswordToCheck,
  ResetLink,
} from './schema.ts';
import { refuseWeakPassword } from './strength.ts';

const tags = ['Passwords'];
const security: [] = [];

/** What a user without a password, or with a forgotten one, can do: set one by a link from an admin. */
export function passwordRoutes(app: App, db: Db, publicUrl: string): void {
  for (const schema of [PasswordLink, ResetLink]) app.addSchema(schema);

  app.get(
    '/auth/reset/validate',
    {
      schema: {
        operationId: 'validatePasswordLink',
        tags,
        summary: 'Check a link to set a password',
        description:
          'Whose password the link sets. One that is unknown, used or too old is answered with 401.',
        security,
        querystring: Type.Object({ token: linkToken }),
        response: { 200: answer('The link is valid', PasswordLink), ...refusals(400, 401) },
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
        summary: 'Set a password by a link',
        description:
          'The link works once. Sessions of the user end; log in afterwards. Events: user-password-changed.',
        security,
        body: PasswordByLink,
        response: { 200: Nothing, ...refusals(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, publicUrl);
      const { token, password } = request.body;
      const link = await findValidLink(db, token);
      refuseWeakPassword(password, link);
      const hash = await hashPassword(password);
      await change(db, asActor(link, request.ip), current =>
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
        summary: 'Ask for a link by mail',
        description:
          'Existing clients ask for it. This server sends no mail: it answers the same for every address and does nothing. An admin makes the link (createResetLink).',
        security,
        body: PasswordMail,
        response: { 200: Nothing, ...refusals(400, 413, 415) },
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
        summary: 'Check a password before it is set',
        description: 'Whether a password is good enough; if not, details says why.',
        security,
        body: PasswordToCheck,
        response: { 200: Nothing, ...refusals(400, 413, 415) },
      },
    },
    async (request, reply) => {
      refuseWeakPassword(request.body.password);
      return reply.code(200).send();
    },
  );
}
