import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, Nothing } from '@halyard/plane/platform/http/schema.ts';
import { requireUser } from '../../access/caller.ts';
import { setSessionCookie } from '../../access/cookie.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { changeOwnPassword, verifyOwnPassword } from '../passwords/change.ts';
import { OwnNewPassword } from '../passwords/schema.ts';

/**
 * Registers the route that changes the caller's own password. It is registered separately, because it replaces the request's
 * session.
 */
export function ownPasswordRoutes(app: App, db: Db, publicUrl: string): void {
  app.post(
    '/api/admin/user/change-password',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'changeMyPassword',
        tags: ['Users'],
        summary: 'Change my password',
        description:
          'Sets a new password for the authenticated user. Requires the current password. A wrong current password counts as a failed login. Ends all sessions of the user; a request that uses a session gets a new one. Events: user-password-changed.',
        body: OwnNewPassword,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      requireUser(request.actor);
      const origin = { ip: request.ip, userAgent: request.headers['user-agent'] };
      const session = request.sessionId === null ? undefined : origin;
      const verifiedPassword = await verifyOwnPassword(db, request.actor, request.body);
      const secret = await change(db, request.actor, current =>
        changeOwnPassword(current, verifiedPassword, session),
      );
      if (secret !== undefined) setSessionCookie(reply, publicUrl, secret);
      return reply.code(200).send();
    },
  );
}
