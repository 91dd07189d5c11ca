import { hash, timingSafeEqual } from 'node:crypto';
import type { Usage } from '@halyard/plane/counting/usage.ts';
import type { Feeds } from '@halyard/plane/feed/feeds.ts';
import { feedRoutes } from '@halyard/plane/feed/routes.ts';
import { type Admission, registerAdmissionMetrics } from '@halyard/plane/platform/admission/metrics.ts';
import { makeNetworkQueues } from '@halyard/plane/platform/admission/network-queues.ts';
import { buildSdkApp } from '@halyard/plane/serving/app.ts';
import { SLICE_LIMITS } from '@halyard/plane/serving/evaluation/slices.ts';
import type { Positions } from '@halyard/plane/serving/positions.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import { STREAM_LIMITS } from '@halyard/plane/serving/streaming/limits.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { EdgeConfig } from './config.ts';
import type { FeedSource } from './feed-source.ts';
import type { Log } from './log.ts';

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
/** As on the server, the timeouts keep slow clients from holding connections open. */
const TIMEOUTS = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 72_000 };

type Parts = {
  config: EdgeConfig;
  feed: FeedSource;
  relay: Feeds;
  usage: Usage;
  positions: Positions;
  metrics: Registry;
  log: Log;
};

/** Builds an application with all SDK and edge routes, as on a server, and the routes for operators. */
export async function buildEdgeApp(
  state: ServingState,
  { config, feed, relay, usage, positions, metrics, log }: Parts,
): Promise<FastifyInstance> {
  const networkQueues = makeNetworkQueues();
  const admission: Admission = new Map([['arrivals', networkQueues]]);
  const app = await buildSdkApp(state, {
    networkQueues,
    admission,
    securityHeaders: SECURITY_HEADERS,
    streams: { ...STREAM_LIMITS, streams: config.maxStreams },
    evaluation: SLICE_LIMITS,
    trustedProxies: config.trustedProxies,
    reports: usage,
    positions,
    log,
    metrics,
    addRoutes: (sdk, responder, count) => feedRoutes(sdk, state, responder, count, admission, relay),
  });
  Object.assign(app.server, TIMEOUTS);
  registerAdmissionMetrics(metrics, admission);
  operatorRoutes(app, feed, usage, metrics, config.metricsToken);
  return app;
}

function operatorRoutes(
  app: FastifyInstance,
  feed: FeedSource,
  usage: Usage,
  metrics: Registry,
  token: string | undefined,
): void {
  const schema = { hide: true };
  app.get('/live', { schema }, async () => ({ health: 'GOOD' }));
  // Stays ready while upstream is unreachable, because an edge that is taken out of rotation serves nobody.
  app.get('/ready', { schema }, async (_request, reply) => {
    const { age, isRevoked } = feed;
    const isReady = age !== undefined && !isRevoked;
    return reply
      .code(isReady ? 200 : 503)
      .send({ health: isReady ? 'GOOD' : 'BAD', ...(age !== undefined && { age: Math.floor(age) }) });
  });
  app.get('/metrics', { schema }, async ({ headers }, reply) => {
    if (token !== undefined && !isEqual(headers.authorization?.replace(/^bearer /i, '') ?? '', token))
      return reply.code(401).send({ message: 'Send the metrics token in the Authorization header.' });
    return reply.type(metrics.contentType).send((await metrics.metrics()) + usage.impact.text());
  });
}

const isEqual = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
