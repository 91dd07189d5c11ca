import { setTimeout as sleep } from 'node:timers/promises';
import { makeTurns } from '@halyard/plane/platform/admission/turns.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { version } from '../../command-line.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where a module registers its own metrics. */
    metrics: Registry;
  }
}

/** Counts and times every request by route, and serves the metrics at the path that existing Prometheus configurations scrape. */
export function installMetrics(app: App): void {
  const registry = new Registry();
  app.decorate('metrics', registry);
  new Gauge({
    name: 'halyard_build_info',
    help: 'The versions of Halyard and Node.js; the value is always 1',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: version(), node: process.versions.node }, 1);
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Response time, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });

  const processRegistry = getProcessMetrics();
  const collect = shareCollections(
    async () => `${await processRegistry.metrics()}\n${await registry.metrics()}`,
  );

  app.addHook('onResponse', async (request, reply) => {
    // The label is the pattern of the route rather than the URL, because the pattern has few values and contains no secret.
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
    };
    duration.observe(labels, reply.elapsedTime / 1_000);
  });

  app.get(
    '/internal-backstage/prometheus',
    {
      schema: {
        operationId: 'getMetrics',
        tags: ['Operations'],
        summary: 'Get the metrics for Prometheus',
        description: 'Process and request metrics in the Prometheus text format.',
        security: [],
        response: {
          200: { description: 'The metrics', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await collect()),
  );
}

let sharedRegistry: Registry | undefined;

/**
 * Returns the metrics of the process, which its applications share. The garbage collection observer and the timer live until the
 * process ends, so an application with its own registry would stay in memory after it is closed.
 */
function getProcessMetrics(): Registry {
  if (!sharedRegistry) {
    sharedRegistry = new Registry();
    collectDefaultMetrics({ register: sharedRegistry });
  }
  return sharedRegistry;
}

/** By default, anyone may request the metrics, and collecting them takes 10 statements and about 10 ms. */
const COLLECT_EVERY_MS = 250;

/**
 * Requests that arrive while metrics are collected share the next collection, which begins at least 250 ms after the last one. A
 * thousand clients therefore cost as much as one, and nobody gets values from before their request. Each response is sent in its
 * own turn of the event loop, because a thousand of them in one turn would block all other requests.
 */
export function shareCollections<T>(collect: () => Promise<T>, everyMs = COLLECT_EVERY_MS): () => Promise<T> {
  let next: Promise<T> | undefined;
  let current: Promise<unknown> = Promise.resolve();
  let nextStartAt = 0;
  const runInTurn = makeTurns();
  const begin = async (): Promise<T> => {
    await current;
    await sleep(Math.max(0, nextStartAt - performance.now()));
    nextStartAt = performance.now() + everyMs;
    next = undefined;
    const collection = collect();
    current = collection.catch(() => {});
    return await collection;
  };
  return async () => {
    next ??= begin();
    const collection = await next;
    return await runInTurn('metrics', () => collection);
  };
}
