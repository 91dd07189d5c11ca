import type { FastifyRequest } from 'fastify';
import { badData } from '../../platform/errors.ts';
import type { Reports } from '../reports.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { requireObject } from './bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of a request with a body, checked before the body is read. */
    sdkToken: SdkToken | undefined;
  }
}

/** Accepts the registration of a server or browser SDK. Rejects a body that is not a registration with 400. */
export function acceptRegistration(reports: Reports, request: FastifyRequest): void {
  const body = requireObject(request.body);
  if (typeof body.appName !== 'string' || body.appName === '')
    throw badData([{ message: 'appName must be a non-empty string', path: '/body/appName' }]);
  reports.register(getSdkToken(request), request.headers, body);
}

/** Accepts the metrics of a server or browser SDK. Rejects a body that is not metrics with 400. */
export async function acceptMetrics(reports: Reports, request: FastifyRequest): Promise<void> {
  await reports.report(getSdkToken(request), request.headers, requireObject(request.body));
}

/** Accepts the metrics of a proxy. Rejects an invalid body with 400, and counts none of it. */
export async function acceptBulk(reports: Reports, request: FastifyRequest): Promise<void> {
  await reports.reportBulk(getSdkToken(request), requireObject(request.body));
}

export function getSdkToken({ sdkToken }: FastifyRequest): SdkToken {
  if (!sdkToken) throw new Error('The request was not authenticated');
  return sdkToken;
}
