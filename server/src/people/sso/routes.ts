import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { errorResponses } from '@halyard/plane/platform/http/schema.ts';
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
import { change } from '../../record/change.ts';
import { ATTEMPT_MINUTES, readReturnPath } from './attempt.ts';
import { confirmLogin } from './callback.ts';
import { startLogin } from './login.ts';
import { handleLoginErrors } from './login-page.ts';
import { findSingleSignOutUrl } from './logout.ts';
import { callProvider, type SsoSettings } from './provider.ts';
import { requireReturnPath, toLocalPath } from './return-path.ts';
import { CallbackQuery, LoginQuery } from './schema.ts';
import { signIn } from './sign-in.ts';

const tags = ['Single sign-on'];

const Redirect = (description: string) => Type.Unsafe<undefined>({ type: 'null', description });

export function ssoRoutes(app: App, db: Db, sso: SsoSettings): void {
  const logins = new Counter({
    name: 'halyard_sso_logins_total',
    help: 'Logins with single sign-on, by result: success, rejected (no account), failure (not confirmed by the provider), blocked by a rate limit, unavailable (the provider)',
    labelNames: ['result'],
    registers: [app.metrics],
  });

  app.get(
    '/auth/oidc/login',
    {
      schema: {
        operationId: 'beginSsoLogin',
        tags,
        summary: 'Start a login with single sign-on',
        description:
          'Redirects the browser to the identity provider, with PKCE, a state and a nonce, and sets a cookie that the callback requires and that lasts ten minutes. Returns 404 while single sign-on is disabled, and 503 if the provider is unavailable. A request that accepts text/html gets no error: it is redirected to /login?failed=…, where the login page explains the reason. Needs no authentication.',
        security: [],
        querystring: LoginQuery,
        response: {
          302: Redirect(
            'Redirects to the identity provider or, if the start fails in a browser, to the login page',
          ),
          ...errorResponses(400, 403, 404),
        },
      },
      errorHandler: handleLoginErrors({
        returnTo: request => toLocalPath((request.query as { redirect?: unknown }).redirect, sso.publicUrl),
      }),
    },
    async (request, reply) => {
      const returnTo = requireReturnPath(request.query.redirect, sso.publicUrl);
      const { url, sealed } = await startLogin(db, sso, returnTo, request.log);
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
        summary: 'Finish a login with single sign-on',
        description:
          'The identity provider redirects the browser to this path. Confirms the login, finds or creates the account, syncs its groups if enabled, starts a session and redirects to a path on this server. An attempt can be finished once, in the browser that started it. Unconfirmed logins are limited per IP address. A request that accepts text/html gets no error: it is redirected to /login?failed=…, where the login page explains the reason. Needs no authentication. Events: login-blocked when the limit is reached, user-created, user-identity-linked, group-user-added, group-user-removed.',
        security: [],
        querystring: CallbackQuery,
        response: {
          302: Redirect(
            'Logged in; the response sets the cookie. If the login fails in a browser, redirects to the login page',
          ),
          ...errorResponses(400, 401, 403, 404, 409),
        },
      },
      errorHandler: handleLoginErrors({
        returnTo: request => readReturnPath(sso.keyring, readLoginCookie(request, sso.publicUrl)),
      }),
    },
    async (request, reply) => {
      const [, query = ''] = request.url.split(/\?(.*)/s);
      const providerResponse = {
        query,
        state: request.query.state,
        sealed: readLoginCookie(request, sso.publicUrl),
      };
      const origin = {
        ip: request.ip,
        userAgent: request.headers['user-agent'],
        replacedSecret: readSessionCookie(request, sso.publicUrl),
      };
      const finishLogin = async () => {
        const login = await confirmLogin(db, sso, providerResponse, request.ip, request.log);
        const actor = { ...SYSTEM, ip: request.ip };
        const session = await change(db, actor, current => signIn(current, login, origin));
        return { ...session, returnTo: login.attempt.returnTo };
      };
      const { userId, secret, returnTo } = await finishLogin().catch(error => {
        logins.inc({ result: toLoginResult(error) });
        throw error;
      });
      logins.inc({ result: 'success' });
      request.log.info({ userId }, 'user logged in');
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
          'Redirects the browser to the logout page of the provider if single sign-out is enabled, otherwise to /. Does not end the session of this server: call POST /logout first. Needs no authentication.',
        security: [],
        response: {
          302: Redirect(
            'Redirects to the identity provider or to /. If the provider fails in a browser, redirects to the login page',
          ),
        },
      },
      errorHandler: handleLoginErrors({ failure: 'logout' }),
    },
    async (request, reply) => {
      const url = await callProvider(request.log, () => findSingleSignOutUrl(db, sso));
      return reply.redirect(url?.href ?? '/', 302);
    },
  );
}

function toLoginResult(error: unknown): string {
  if (!(error instanceof ApiError) || error.name === 'ServiceUnavailableError') return 'unavailable';
  if (error.name === 'RateLimitError') return 'blocked';
  return error.name === 'AuthenticationRequired' ? 'failure' : 'rejected';
}
