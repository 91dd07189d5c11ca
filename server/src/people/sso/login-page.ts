import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsPages } from '../../platform/http/output/accepts-pages.ts';
import { logError, sendError } from '../../platform/http/output/errors.ts';
import { failureOf, type SsoFailure } from './failures.ts';

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Handles the errors of a route that browsers open. A browser is redirected to the login page, which explains the failure and
 * keeps the path to return to. Other callers get JSON.
 */
export const showOnLoginPage =
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
    const failed = options.failure ?? failureOf(rejection);
    const query = new URLSearchParams({ failed });
    // Only a code, because anybody could write a message into the URL, and the page would show it as its own.
    if (failed === 'error') query.set('id', id);
    if (failed === 'throttled') query.set('seconds', String(rejection.retryAfter));
    const path = options.returnTo?.(request);
    if (path !== undefined && path !== '/') query.set('to', path);
    return reply.redirect(`/login?${query}`, 302);
  };
