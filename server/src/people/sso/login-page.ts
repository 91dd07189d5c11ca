import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsPages } from '../../platform/http/output/accepts-pages.ts';
import { logError, sendError } from '../../platform/http/output/errors.ts';
import { type SsoFailure, toSsoFailure } from './failures.ts';

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Handles the errors of a route that browsers open. A browser is redirected to the login page, which explains the failure and
 * keeps the path to return to. Other callers get JSON.
 */
export const handleLoginErrors =
  (options: {
    /** The path to open after the next login. */
    returnTo?: (request: FastifyRequest) => string | undefined;
    /** The failure to explain, instead of the error's own failure. */
    failure?: SsoFailure;
  }): ErrorHandler =>
  async (error, request, reply) => {
    reply.header('vary', 'accept');
    if (!acceptsPages(request)) return await sendError(error, request, reply);
    const { id, rejection } = await logError(error, request);
    const failure = options.failure ?? toSsoFailure(rejection);
    const query = new URLSearchParams({ failed: failure });
    // The URL has a code instead of the message, because the page would show any message that somebody put into the URL.
    if (failure === 'error') query.set('id', id);
    if (failure === 'throttled') query.set('seconds', String(rejection.retryAfter));
    const path = options.returnTo?.(request);
    if (path !== undefined && path !== '/') query.set('to', path);
    return reply.redirect(`/login?${query}`, 302);
  };
