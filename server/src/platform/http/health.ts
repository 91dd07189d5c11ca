import { Type } from 'typebox';
import type { App } from './app.ts';
import { answer, Named } from './schema.ts';

const Health = Named(
  'Health',
  Type.Object({ health: Type.String({ enum: ['GOOD', 'BAD'], examples: ['GOOD'] }) }),
);

/** /health: the process answers. /ready: it can also do its work, as the check given here finds. */
export function healthRoutes(app: App, check: () => Promise<void>): void {
  app.addSchema(Health);

  app.get(
    '/health',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['Operations'],
        summary: 'Is the process alive',
        description: 'Answers as long as the process can answer at all; looks at nothing else.',
        security: [],
        response: { 200: answer('Alive', Health) },
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
        summary: 'Can the server do its work',
        description: 'Checks that the database answers and has every migration of this version.',
        security: [],
        response: { 200: answer('Ready', Health), 503: answer('Not ready', Health) },
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
