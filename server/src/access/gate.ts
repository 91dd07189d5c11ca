import { makeBusyCheck } from '@halyard/plane/platform/admission/busy.ts';
import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import {
  makeShares,
  type Release,
  type ShareLimits,
  type Shares,
} from '@halyard/plane/platform/admission/shares.ts';
import { type AdmittedRequest, admitRequest } from '@halyard/plane/platform/admission/visit.ts';
import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import { ApiError, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import type { FastifyRequest } from 'fastify';
import { readSessionCookie } from './cookie.ts';

/** Probes and scrapers must get a response even while every other caller waits. */
export const UNGATED: ReadonlySet<string> = new Set([
  '/health',
  '/ready',
  '/internal-backstage/prometheus',
  '/internal-backstage/impact/metrics',
]);

/**
 * The kinds of anonymous requests, by the start of the path. Each kind counts separately, so a flood of one does not delay the others
 * from the same network.
 */
const KINDS: [kind: string, path: RegExp][] = [
  ['login', /^\/(auth\/(simple|oidc|methods)|logout)/],
  ['link', /^\/(auth\/reset|invite)/],
  ['oauth', /^\/oauth\//],
  ['api', /^\/api\//],
];
const classifyPath = (path: string): string =>
  KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'document';

const RETRY_AFTER_SECONDS = 2;
const MAX_CREDENTIALS = 10_000;
const MAX_CALLERS = 10_000;

/**
 * Limits each caller's running requests to about 60 % of the number of connections in the pool, or fewer while other callers'
 * requests run. The caller's other requests wait, holding neither a connection nor a body in memory.
 */
export const getRequestLimits = (poolSize: number): ShareLimits => ({
  capacity: 2 * poolSize,
  share: 0.3,
  isBusy: makeBusyCheck(),
  waiting: 10_000,
  waitingPerCaller: 1_000,
  // Less than `requestTimeout`, the 10 s in which Node.js must receive the whole request.
  waitMs: 8_000,
});

/**
 * Lets the requests of all callers take turns. A caller is an account or admin token that was authenticated recently. Everything
 * else, such as a random token, counts towards the network it comes from. Runs before the guard.
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
  const verifiedCallers = makeVerifiedCallers();
  /** When each caller's last request without a server error (5xx) completed. */
  const completedAt = new BoundedMap<string, number>(MAX_CALLERS);
  app.decorateRequest('visit');

  /**
   * Acquires a slot for a request. If none of the caller's requests completed during the second half of the wait, all of them are
   * probably waiting for the database. The error then blames the database rather than the number of requests.
   */
  const acquire = async (caller: string, { isGone }: AdmittedRequest): Promise<Release> => {
    const startedAt = performance.now();
    try {
      return await shares.acquire(caller, { isGone });
    } catch (error) {
      const stallThreshold = performance.now() - limits.waitMs / 2;
      const isStalled = startedAt < stallThreshold && (completedAt.get(caller) ?? 0) < stallThreshold;
      throw isStalled ? stallError() : error;
    }
  };

  app.addHook('onRequest', async (request, reply) => {
    const visit = admitRequest(request, reply);
    request.visit = visit;
    const { url = request.url } = request.routeOptions;
    if (UNGATED.has(url)) return;
    const verifiedCaller = verifiedCallers.find(hashCredential(request, publicUrl));
    const caller = verifiedCaller ?? `${classifyPath(url)} from ${toNetwork(request.ip)}`;
    visit.occupy(await acquire(caller, visit));
    reply.raw.once('finish', () => {
      if (reply.statusCode < 500) completedAt.set(caller, performance.now());
    });
  });

  app.addHook('onSend', async (request, reply) => {
    if (request.caller !== '') verifiedCallers.remember(hashCredential(request, publicUrl), request.caller);
    else if (reply.statusCode === 401) verifiedCallers.forget(hashCredential(request, publicUrl));
  });
  return shares;
}

const stallError = (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    'Earlier requests are not completing, probably because the database is unavailable. Retry later.',
    { retryAfter: RETRY_AFTER_SECONDS },
  );

function hashCredential(request: FastifyRequest, publicUrl: string): string {
  const secret = request.headers.authorization || readSessionCookie(request, publicUrl) || '';
  return secret === '' ? '' : hashToken(secret).toString('base64');
}

/** Remembers the callers of recently verified credentials, and forgets the least recently used credential first. */
function makeVerifiedCallers() {
  /** The callers, by the hash of the credential. */
  const callers = new Map<string, string>();
  return {
    find: (hash: string): string | undefined => callers.get(hash),
    remember: (hash: string, caller: string): void => {
      callers.delete(hash);
      callers.set(hash, caller);
      if (callers.size > MAX_CREDENTIALS) callers.delete(callers.keys().next().value ?? '');
    },
    forget: (hash: string): void => void callers.delete(hash),
  };
}
