import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import {
  type Holder,
  makeShares,
  type ShareLimits,
  type Shares,
} from '@halyard/plane/platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { FastifyRequest } from 'fastify';

const MIB = 1_048_576;

/** Limits the bytes of bodies in memory. Parsed bodies take three times as much. One caller can send two 8 MiB imports at a time. */
export const BODY_LIMITS: ShareLimits = {
  capacity: 32 * MIB,
  share: 0.5,
  waiting: 5_000,
  waitingPerCaller: 1_000,
  waitMs: 5_000,
};

/**
 * Reads a body only after its caller has acquired the bytes that it takes, and releases them when the response is sent. Runs
 * after the gate.
 */
export function installBodyShares(app: App, limits: Partial<ShareLimits> = {}): Shares {
  const bytes = makeShares({ ...BODY_LIMITS, ...limits }, rejection);
  app.addHook('preParsing', async request => {
    const cost = countBodyBytes(request);
    if (cost === 0) return;
    const { caller, ip, visit } = request;
    visit.hold(await bytes.acquire(caller || toNetwork(ip), { cost, isGone: visit.isGone }));
  });
  return bytes;
}

/**
 * Returns how many bytes the body takes. A chunked body counts as the largest that the operation accepts. A larger body is rejected
 * when it is read.
 */
function countBodyBytes({ headers, routeOptions: { bodyLimit = MIB } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  return Math.min(Number(headers['content-length'] ?? 0) || 0, bodyLimit);
}

const RETRY_AFTER_SECONDS = 2;

const rejection = (holder: Holder): ApiError =>
  holder === 'caller'
    ? tooManyRequests(
        'You are sending too many large request bodies at a time. Send fewer.',
        RETRY_AFTER_SECONDS,
      )
    : new ApiError(
        'ServiceUnavailableError',
        'The server is busy with request bodies from other callers. Retry later.',
        { retryAfter: RETRY_AFTER_SECONDS },
      );
