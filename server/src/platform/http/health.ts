import { Type } from 'typebox';
import type { App } from './app.ts';
import { jsonResponse, Named } from './schema.ts';

const STATE = Type.String({ enum: ['GOOD', 'BAD'], examples: ['GOOD'] });

const Health = Named('Health', Type.Object({ health: STATE }));

const Readiness = Named(
  'Readiness',
  Type.Object({
    health: Type.String({ ...STATE, description: 'GOOD once the server has loaded' }),
    database: Type.String({ ...STATE, description: 'Whether the database responds' }),
  }),
);

/** The checks of readiness. */
export type ReadyCheck = {
  /** Fails until the server can serve requests: the database is reachable and has every migration. */
  load: () => Promise<void>;
  /** Whether the database responds, known without asking it. Undefined if nothing in the server knows it. */
  isDatabaseResponding: () => boolean | undefined;
};

/** /health: the process responds. /ready: the server has loaded, and whether its database responds. */
export function healthRoutes(app: App, { load, isDatabaseResponding }: ReadyCheck): void {
  for (const schema of [Health, Readiness]) app.addSchema(schema);
  let isLoaded = false;

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
        description:
          'Responds with 200 once the database was reachable and had every migration of this version. Later, database says whether the database responds: without it the server still serves flags to SDKs from memory.',
        security: [],
        response: { 200: jsonResponse('Ready', Readiness), 503: jsonResponse('Not ready', Readiness) },
      },
    },
    async (request, reply) => {
      const responding = isLoaded ? isDatabaseResponding() : undefined;
      if (responding !== undefined) return { health: 'GOOD', database: responding ? 'GOOD' : 'BAD' };
      try {
        await load();
        isLoaded = true;
        return { health: 'GOOD', database: 'GOOD' };
      } catch (error) {
        if (isLoaded) return { health: 'GOOD', database: 'BAD' };
        request.log.warn({ err: error }, 'not ready');
        return reply.code(503).send({ health: 'BAD', database: 'BAD' });
      }
    },
  );
}
