import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Counter, Gauge } from 'prom-client';
import { Type } from 'typebox';
import { Caller, requireUser, toCaller } from '../../access/caller.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../access/cookie.ts';
import { rejectOtherOrigins, requireSameOrigin } from '../../access/same-origin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { countHashes } from '../../platform/secrets/password-hash.ts';
import { change } from '../../record/change.ts';
import { requirePasswordLogin } from '../auth-settings/password-login.ts';
import { endAllSessions, endSession, logOut } from './end.ts';
import { logIn } from './login.ts';
import { tooManyFailures } from './login-blocked.ts';
import { LoginRequest, Session, SessionList } from './schema.ts';
import { listSessions } from './store.ts';

const tags = ['Sessions'];

export function sessionRoutes(app: App, db: Db, publicUrl: string): void {
  for (const schema of [Session, SessionList]) app.addSchema(schema);
  const countLogin = makeLoginCounter(app);

  app.post(
    '/auth/simple/login',
    {
      schema: {
        operationId: 'login',
        tags,
        summary: 'Log in',
        description:
          'Starts a session and sets its cookie. Ends the session of an existing cookie. The response is the same for an unknown user and a wrong password. Failed logins are limited per account, per IP address, and per combination of the two. Rejected while password login is disabled. Needs no authentication. Events: login-blocked when a limit is reached.',
        security: [],
        body: LoginRequest,
        response: {
          200: jsonResponse('Logged in. The response sets the cookie', Caller),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, publicUrl);
      await requirePasswordLogin(db);
      const origin = {
        ip: request.ip,
        userAgent: request.headers['user-agent'],
        replacedSecret: readSessionCookie(request, publicUrl),
      };
      // A blocked login only pauses, without holding a slot, so that other users on the same network can log in during the pause.
      const result = await logIn(db, request.body, origin, request.visit.releaseSlot);
      countLogin(result);
      if (result.kind === 'blocked') throw tooManyFailures(result.seconds);
      if (result.kind === 'wrong')
        throw new ApiError('AuthenticationRequired', 'The username or the password is wrong.');
      request.log.info({ userId: result.account.id }, 'user logged in');
      setSessionCookie(reply, publicUrl, result.secret);
      return toCaller(result.account);
    },
  );

  app.post(
    '/logout',
    {
      schema: {
        operationId: 'logout',
        tags,
        summary: 'Log out',
        description:
          'Ends the session of the cookie and removes the cookie. Does nothing without a session. Needs no authentication.',
        security: [],
        response: { 200: Nothing, ...errorResponses(403) },
      },
    },
    async (request, reply) => {
      const secret = readSessionCookie(request, publicUrl);
      if (secret !== undefined) {
        requireSameOrigin(request, publicUrl);
        await logOut(db, secret);
      }
      clearSessionCookie(reply, publicUrl);
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/user/sessions',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getSessions',
        tags,
        summary: 'List my sessions',
        description: 'Returns the sessions of the authenticated user, the most recently used first.',
        response: { 200: jsonResponse('The sessions', SessionList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ sessions: await listSessions(db, requireUser(request.actor), request.sessionId) }),
  );

  app.delete(
    '/api/admin/user/sessions',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'endSessions',
        tags,
        summary: 'Log out everywhere',
        description:
          'Ends all sessions of the authenticated user, including the current one. Personal tokens keep working. Events: user-sessions-ended.',
        response: { 200: Nothing, ...errorResponses(401, 403) },
      },
    },
    async (request, reply) => {
      const owner = toOwner(request.actor);
      await change(db, request.actor, current => endAllSessions(current, owner));
      if (request.sessionId !== null) clearSessionCookie(reply, publicUrl);
      return reply.code(200).send();
    },
  );

  app.delete(
    '/api/admin/user/sessions/:id',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'endSession',
        tags,
        summary: 'End one of my sessions',
        description: 'Ends one session of the authenticated user. Events: user-sessions-ended.',
        params: Type.Object({
          id: PathId('Session', '31'),
        }),
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      const owner = toOwner(request.actor);
      await change(db, request.actor, current => endSession(current, owner, id));
      if (request.sessionId === id) clearSessionCookie(reply, publicUrl);
      return reply.code(200).send();
    },
  );
}

const toOwner = (actor: Actor) => ({ userId: requireUser(actor), username: actor.name });

/** Counts logins in metrics. They are not recorded as events, because there are too many of them. */
function makeLoginCounter(app: App): (result: Awaited<ReturnType<typeof logIn>>) => void {
  const registers = [app.metrics];
  const logins = new Counter({
    name: 'halyard_logins_total',
    help: 'Logins with a password, by result: success, failure, or blocked by a rate limit',
    labelNames: ['result'],
    registers,
  });
  const limits = new Counter({
    name: 'halyard_login_limits_reached_total',
    help: 'Rate limits of failed logins that were reached, by scope: account, IP address, or place (both)',
    labelNames: ['counted_by'],
    registers,
  });
  new Gauge({
    name: 'halyard_password_hashes_waiting',
    help: 'Password hashes waiting to be computed',
    registers,
    collect() {
      this.set(countHashes().waiting);
    },
  });
  return result => {
    logins.inc({ result: { 'logged-in': 'success', wrong: 'failure', blocked: 'blocked' }[result.kind] });
    if (result.kind === 'wrong') for (const scope of result.reachedLimits) limits.inc({ counted_by: scope });
  };
}
