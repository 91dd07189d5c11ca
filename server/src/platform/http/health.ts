import { Type } from 'typebox';
import type { App } from './app.ts';
import { jsonResponse, Named } from './schema.ts';

const Health = Named(
  'Health',
  Type.Object({ health: Type.String({ enum: ['GOOD', 'BAD'], examples: ['GOOD'] }) }),
);

/** /health: the process responds. /ready: the given check passes as well. */
export function healthRoutes(app: App, check: () => Promise<void>): void {
  app.addSchema(Health);

  app.get(
    '/health',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['Operations'],
        summary: 'Check liveness',
        description: 'Responds while the process is alive. It checks nothing else.',
        security: [],
        response: { 200: jsonResponse('Alive', Health) },
      },
    },
    async () => ({ health: 'GOOD' }),
  );

  app.get(
    '/ready',
    {
      schema: {
        operationId: 'getReady',
        tags: ['Operations'],
        summary: 'Check readiness',
        description: 'Checks that the database is reachable and has every migration of this version.',
        security: [],
        response: { 200: jsonResponse('Ready', Health), 503: jsonResponse('Not ready', Health) },
      },
    },
    async (request, reply) => {
      try {
        await check();
        return { health: 'GOOD' };
      } catch (error) {
        request.log.warn({ err: error }, 'not ready');
        return reply.code(503).send({ health: 'BAD' });
      }
    },
  );
}
