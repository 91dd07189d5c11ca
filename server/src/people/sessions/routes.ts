import { Counter, Gauge } from 'prom-client';
import { Type } from 'typebox';
import { asCaller, Caller, requireUser } from '../../access/caller.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../access/cookie.ts';
import { rejectOtherOrigins, requireSameOrigin } from '../../access/same-origin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, PathId, refusals } from '../../platform/http/schema.ts';
import { hashingWork } from '../../platform/secrets/password-hash.ts';
import { change } from '../../record/change.ts';
import { needsPasswordLogin } from '../auth-settings/password-login.ts';
import { endAllSessions, endSession, logOut } from './end.ts';
import { logIn } from './login.ts';
import { tooManyFailures } from './login-blocked.ts';
import { LoginRequest, Session, SessionList } from './schema.ts';
import { listSessions } from './store.ts';

const tags = ['Sessions'];

export function sessionRoutes(app: App, db: Db, publicUrl: string): void {
  for (const schema of [Session, SessionList]) app.addSchema(schema);
  const count = loginMetrics(app);

  app.post(
    '/auth/simple/login',
    {
      schema: {
        operationId: 'login',
        tags,
        summary: 'Log in',
        description:
          'Begins a session and sets its cookie; a session that the browser had before ends. An unknown user and a wrong password are answered alike. Failures are limited per account, per address and per both. Refused where logging in with a password is switched off. Events: login-blocked when a limit is reached.',
        security: [],
        body: LoginRequest,
        response: {
          200: answer('Logged in; the answer sets the cookie', Caller),
          ...refusals(400, 401, 403, 413, 415, 429),
        },
      },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, publicUrl);
      await needsPasswordLogin(db);
      const result = await logIn(db, request.body, {
        ip: request.ip,
        userAgent: request.headers['user-agent'],
        replaces: readSessionCookie(request, publicUrl),
      });
      count(result);
      if (result.kind === 'blocked') throw tooManyFailures(result.seconds);
      if (result.kind === 'wrong') {
        throw new ApiError('AuthenticationRequired', 'Username or password is wrong.');
      }
      request.log.info({ userId: result.account.id }, 'logged in');
      setSessionCookie(reply, publicUrl, result.secret);
      return asCaller(result.account);
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
          'Ends the session of the cookie and removes the cookie. Without a session nothing happens.',
        security: [],
        response: { 200: Nothing, ...refusals(403) },
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
        description: 'Where the caller is logged in, the most recently used first.',
        response: { 200: answer('The sessions', SessionList), ...refusals(401, 403) },
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
          'Ends all sessions of the caller, this one too; personal tokens stay. Events: user-sessions-ended.',
        response: { 200: Nothing, ...refusals(401, 403) },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request.actor);
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
        description: 'Whoever uses it has to log in again. Events: user-sessions-ended.',
        params: Type.Object({
          id: PathId('Session', '31'),
        }),
        response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      const owner = ownerOf(request.actor);
      await change(db, request.actor, current => endSession(current, owner, id));
      if (request.sessionId === id) clearSessionCookie(reply, publicUrl);
      return reply.code(200).send();
    },
  );
}

const ownerOf = (actor: Actor) => ({ userId: requireUser(actor), username: actor.name });

/** Logins are told by metrics and not by events: there are too many, and what matters in the record is who changed what. */
function loginMetrics(app: App): (result: Awaited<ReturnType<typeof logIn>>) => void {
  const registers = [app.metrics];
  const logins = new Counter({
    name: 'halyard_logins_total',
    help: 'Logins by password: success, failure, or blocked by a limit before the password was looked at',
    labelNames: ['result'],
    registers,
  });
  const limits = new Counter({
    name: 'halyard_login_limits_reached_total',
    help: 'Limits of failed logins reached, by what they count: account, address, or place (both)',
    labelNames: ['counted_by'],
    registers,
  });
  new Gauge({
    name: 'halyard_password_hashes_waiting',
    help: 'Passwords that wait to be computed',
    registers,
    collect() {
      this.set(hashingWork().waiting);
    },
  });
  return result => {
    logins.inc({ result: { in: 'success', wrong: 'failure', blocked: 'blocked' }[result.kind] });
    if (result.kind === 'wrong') for (const scope of result.reached) limits.inc({ counted_by: scope });
  };
}
