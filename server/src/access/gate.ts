import type { FastifyRequest } from 'fastify';
import { makeBusyCheck } from '../../../plane/src/platform/admission/busy.ts';
import { networkOf } from '../../../plane/src/platform/admission/network.ts';
import {
  makeShares,
  type Release,
  type ShareLimits,
  type Shares,
} from '../../../plane/src/platform/admission/shares.ts';
import { makeVisit, type Visit } from '../../../plane/src/platform/admission/visit.ts';
import { BoundedMap } from '../../../plane/src/platform/bounded-map.ts';
import { ApiError, tooManyRequests } from '../../../plane/src/platform/errors.ts';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { hashToken } from '../../../plane/src/platform/token.ts';
import { readSessionCookie } from './cookie.ts';

/** Probes and scrapers must get a response even while every other caller waits. */
export const UNGATED: ReadonlySet<string> = new Set([
  '/health',
  '/ready',
  '/internal-backstage/prometheus',
  '/internal-backstage/impact/metrics',
]);

/** Anonymous requests by their first path segment. A flood of one kind does not delay the others from the same network. */
const KINDS: [kind: string, path: RegExp][] = [
  ['login', /^\/(auth\/(simple|oidc|methods)|logout)/],
  ['link', /^\/(auth\/reset|invite)/],
  ['program', /^\/oauth\//],
  ['api', /^\/api\//],
];
const kindOf = (path: string): string => KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'document';

const RETRY_AFTER_SECONDS = 2;
const MAX_CREDENTIALS = 10_000;
const MAX_CALLERS = 10_000;

/**
 * One caller runs about half a pool's worth of requests at a time. Its other requests wait, holding neither a connection nor a
 * body in memory.
 */
export const requestLimits = (poolSize: number): ShareLimits => ({
  capacity: 2 * poolSize,
  share: 0.3,
  isBusy: makeBusyCheck(),
  waiting: 10_000,
  waitingPerCaller: 1_000,
  // Less than the 10 s within which Node.js must have received the whole request.
  waitMs: 8_000,
});

/**
 * Lets the requests of all callers run in turn. A caller is an account or an admin token whose credential was verified recently.
 * Everything else, such as a random token, counts towards the network it comes from. Runs before the guard.
 */
export function installGate(app: App, publicUrl: string, limits: ShareLimits): Shares {
  const shares = makeShares(limits, holder =>
    holder === 'caller'
      ? tooManyRequests(
          `Too many requests at a time: ${limits.waitingPerCaller.toLocaleString('en')} of your requests are already waiting, or this one has waited for ${limits.waitMs / 1_000} s. Send fewer requests at a time.`,
          RETRY_AFTER_SECONDS,
        )
      : new ApiError(
          'ServiceUnavailableError',
          'The server is busy with requests from other callers. Retry later.',
          {
            retryAfter: RETRY_AFTER_SECONDS,
          },
        ),
  );
  const verified = makeVerified();
  /** When a request of the caller last succeeded, or failed through its own fault. */
  const completedAt = new BoundedMap<string, number>(MAX_CALLERS);
  app.decorateRequest('visit');

  /**
   * If none of the caller's requests completed during the second half of the wait, all of them are waiting for the database. That
   * is not the caller's fault, so the caller is not told to send fewer requests.
   */
  const acquire = async (caller: string, { isGone }: Visit): Promise<Release> => {
    const startedAt = performance.now();
    try {
      return await shares.acquire(caller, { isGone });
    } catch (error) {
      const stalledSince = performance.now() - limits.waitMs / 2;
      const isStalled = startedAt < stalledSince && (completedAt.get(caller) ?? 0) < stalledSince;
      throw isStalled ? stalled() : error;
    }
  };

  app.addHook('onRequest', async (request, reply) => {
    const visit = makeVisit(request, reply);
    request.visit = visit;
    const { url = request.url } = request.routeOptions;
    if (UNGATED.has(url)) return;
    const known = verified.find(credentialOf(request, publicUrl));
    const caller = known ?? `${kindOf(url)} from ${networkOf(request.ip)}`;
    visit.occupy(await acquire(caller, visit));
    reply.raw.once('finish', () => {
      if (reply.statusCode < 500) completedAt.set(caller, performance.now());
    });
  });

  app.addHook('onSend', async (request, reply) => {
    if (request.caller !== '') verified.remember(credentialOf(request, publicUrl), request.caller);
    else if (reply.statusCode === 401) verified.forget(credentialOf(request, publicUrl));
  });
  return shares;
}

const stalled = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'Earlier requests are not completing, probably because the database is unavailable. Retry later.',
    { retryAfter: RETRY_AFTER_SECONDS },
  );

function credentialOf(request: FastifyRequest, publicUrl: string): string {
  const secret = request.headers.authorization || readSessionCookie(request, publicUrl) || '';
  return secret === '' ? '' : hashToken(secret).toString('base64');
}

/** The callers of recently verified credentials. The least recently used credential is forgotten first. */
function makeVerified() {
  const callers = new Map<string, string>();
  return {
    find: (credential: string): string | undefined => callers.get(credential),
    remember: (credential: string, caller: string): void => {
      callers.delete(credential);
      callers.set(credential, caller);
      if (callers.size > MAX_CREDENTIALS) callers.delete(callers.keys().next().value ?? '');
    },
    forget: (credential: string): void => void callers.delete(credential),
  };
}
