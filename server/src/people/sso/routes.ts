import { Counter } from 'prom-client';
import { Type } from 'typebox';
import {
  clearLoginCookie,
  readLoginCookie,
  readSessionCookie,
  setLoginCookie,
  setSessionCookie,
} from '../../access/cookie.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { ATTEMPT_MINUTES } from './attempt.ts';
import { confirmLogin } from './callback.ts';
import { beginLogin } from './login.ts';
import { singleSignOutUrl } from './logout.ts';
import { asking, type Sso } from './provider.ts';
import { ownPath } from './return-to.ts';
import { CallbackQuery, LoginQuery } from './schema.ts';
import { signIn } from './sign-in.ts';

const tags = ['Single sign-on'];

const Redirect = (description: string) => Type.Unsafe<undefined>({ type: 'null', description });

export function ssoRoutes(app: App, db: Db, sso: Sso): void {
  const logins = new Counter({
    name: 'halyard_sso_logins_total',
    help: 'Logins by single sign-on: success, refused (no account for them), failure (not confirmed), blocked (by a limit, before the provider was asked), unavailable (the provider)',
    labelNames: ['result'],
    registers: [app.metrics],
  });

  app.get(
    '/auth/oidc/login',
    {
      schema: {
        operationId: 'beginSsoLogin',
        tags,
        summary: 'Log in by single sign-on',
        description:
          'Sends the browser to the identity provider, with PKCE, a state and a nonce, and sets a cookie for ten minutes that the way back needs. 404 while single sign-on is switched off; 503 if the provider cannot be reached.',
        security: [],
        querystring: LoginQuery,
        response: { 302: Redirect('To the identity provider'), ...refusals(400, 403, 404) },
      },
    },
    async (request, reply) => {
      const returnTo = ownPath(request.query.redirect, sso.publicUrl);
      const { url, sealed } = await asking(request.log, () => beginLogin(db, sso, returnTo));
      setLoginCookie(reply, sso.publicUrl, sealed, ATTEMPT_MINUTES * 60);
      return reply.redirect(url.href, 302);
    },
  );

  app.get(
    '/auth/oidc/callback',
    {
      schema: {
        operationId: 'finishSsoLogin',
        tags,
        summary: 'Come back from the identity provider',
        description:
          'Checks what the provider says, finds or makes the account, brings its groups up to date if that is wanted, begins a session and goes on to a path of this server. An attempt can be finished once, in the browser that began it. What the provider does not confirm is limited per address. Events: login-blocked when the limit is reached, user-created, group-user-added, group-user-removed.',
        security: [],
        querystring: CallbackQuery,
        response: {
          302: Redirect('Logged in; the answer sets the cookie'),
          ...refusals(400, 401, 403, 404, 409, 429),
        },
      },
    },
    async (request, reply) => {
      const [, query = ''] = request.url.split(/\?(.*)/s);
      const returned = { query, state: request.query.state, sealed: readLoginCookie(request, sso.publicUrl) };
      const origin = {
        ip: request.ip,
        userAgent: request.headers['user-agent'],
        replaces: readSessionCookie(request, sso.publicUrl),
      };
      const finishLogin = async () => {
        const login = await confirmLogin(db, sso, returned, request.ip, request.log);
        const actor = { ...SYSTEM, ip: request.ip };
        const session = await change(db, actor, current => signIn(current, login, origin));
        return { ...session, returnTo: login.attempt.returnTo };
      };
      const { userId, secret, returnTo } = await finishLogin().catch(error => {
        logins.inc({ result: resultOf(error) });
        throw error;
      });
      logins.inc({ result: 'success' });
      request.log.info({ userId }, 'logged in');
      clearLoginCookie(reply, sso.publicUrl);
      setSessionCookie(reply, sso.publicUrl, secret);
      return reply.redirect(returnTo, 302);
    },
  );

  app.get(
    '/auth/oidc/logout',
    {
      schema: {
        operationId: 'singleSignOut',
        tags,
        summary: 'Log out at the identity provider',
        description:
          'Goes on to where the provider ends its own session, if the settings want that, or else home. For after POST /logout: the session here is not touched.',
        security: [],
        response: { 302: Redirect('To the identity provider, or home') },
      },
    },
    async (request, reply) => {
      const url = await asking(request.log, () => singleSignOutUrl(db, sso));
      return reply.redirect(url?.href ?? '/', 302);
    },
  );
}

function resultOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.name === 'ServiceUnavailableError') return 'unavailable';
  if (error.name === 'RateLimitError') return 'blocked';
  return error.name === 'AuthenticationRequired' ? 'failure' : 'refused';
}
