import type { ImpactMetrics } from '@halyard/plane/counting/impact.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { Type } from 'typebox';

/** The metrics are text that Prometheus reads, not JSON, so this is a route instead of an operation. */
export function impactMetricsRoute(app: App, impact: ImpactMetrics): void {
  app.get(
    '/internal-backstage/impact/metrics',
    {
      schema: {
        operationId: 'getImpactMetrics',
        tags: ['Operations'],
        summary: 'Get impact metrics for Prometheus',
        description:
          'Returns the counters, gauges and histograms that applications define in their SDKs and that this server has received, in the Prometheus text format.',
        security: [],
        response: {
          200: { description: 'The metrics', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(impact.text()),
  );
}
