import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { hashNewPassword, setPassword } from '../passwords/change.ts';
import { NewPassword } from '../passwords/schema.ts';
import { NewUser, User } from './admin-schema.ts';
import { checkNewUser, createUserWithLink, findNewUserViolations } from './create.ts';

const tags = ['Users'];

/**
 * Registers the routes that set a password. They are not operations, because they hash a password before the change, and because
 * their input must never be stored.
 */
export function newPasswordRoutes(app: App, db: Db, publicUrl: string): void {
  app.post(
    '/api/admin/user-admin',
    {
      config: {
        permission: ['ADMIN'],
        returnsSecret: true,
        rejectUnknownFieldsExcept: ACCEPTED_FIELDS.user,
        checks: [
          ({ body, invalid }) =>
            findNewUserViolations(db, body, invalid.has('email') || invalid.has('username')),
        ],
      },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Creates a user with a username, an email address or both. Without a password, the response has a link that lets the user set one. This server sends no mail, so send the link to the user yourself. Requires ADMIN. Events: user-created.',
        body: NewUser,
        response: {
          201: jsonResponse('The new user', User),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      // Unleash clients send an empty string if there is no password.
      const newUser = await checkNewUser({ ...request.body, password: request.body.password || null });
      const user = await change(db, request.actor, current =>
        createUserWithLink(current, newUser, publicUrl),
      );
      return reply.code(201).send(user);
    },
  );

  app.post(
    '/api/admin/user-admin/:id/change-password',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'changeUserPassword',
        tags,
        summary: "Set a user's password",
        description:
          'Sets a new password and ends all sessions of the user. Requires ADMIN. Events: user-password-changed.',
        params: Type.Object({ id: PathId('User', '7') }),
        body: NewPassword,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      const hash = await hashNewPassword(db, id, request.body);
      await change(db, request.actor, current => setPassword(current, id, hash));
      return reply.code(200).send();
    },
  );
}
