import type { App } from '@halyard/plane/platform/http/app.ts';
import { jsonResponse, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';

const STATE = Type.String({
  description: 'GOOD as long as the process responds',
  enum: ['GOOD', 'BAD'],
  examples: ['GOOD'],
});

const Health = SharedObject('Health', { health: STATE });

const Readiness = SharedObject('Readiness', {
  health: Type.String({
    ...STATE,
    description: 'GOOD once the server has loaded, until it begins to stop',
  }),
  database: Type.String({ ...STATE, description: 'Whether the database responds' }),
  writes: Type.String({
    ...STATE,
    description: 'Whether the database accepts changes; BAD while it is read-only or does not respond',
  }),
  snapshot: Type.Optional(
    Timestamp(
      'Time of the snapshot that SDKs are served from, if the server started while the database was unreachable and has not reached it yet',
    ),
  ),
});

/** What /ready checks. */
export type ReadyCheck = {
  /** Fails until the server can serve requests, which means that the database is reachable and has every migration. */
  load: () => Promise<void>;
  /** Whether the database responds, as far as the server knows without querying it, or undefined if the server does not know. */
  isDatabaseResponding: () => boolean | undefined;
  /** The time of the snapshot that the server started from, until the database responds. */
  snapshotTime: () => string | undefined;
  /** Whether the database responds and rejects writes. */
  isReadOnly: () => boolean;
  /** Whether the server is about to stop. */
  isDraining: () => boolean;
};

/**
 * Adds /health, which says that the process responds, and /ready, which says whether the server has loaded and whether its database
 * responds.
 */
export function healthRoutes(
  app: App,
  { load, isDatabaseResponding, snapshotTime, isReadOnly, isDraining }: ReadyCheck,
): void {
  for (const schema of [Health, Readiness]) app.addSchema(schema);
  let isLoaded = false;
  const toState = (isGood: boolean) => (isGood ? 'GOOD' : 'BAD');
  const describeReadiness = (isServing: boolean, isResponding: boolean) => ({
    health: toState(isServing),
    database: toState(isResponding),
    writes: toState(isResponding && !isReadOnly()),
  });

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
          'Responds with 200 once the server has reached a database with every migration of this version, and with 503 as soon as the server begins to stop. In between, database shows whether the database responds; while it does not, the server keeps serving flags to SDKs from memory. A server that had to start without the database also responds with 200, and snapshot is the time of the flags that it serves. writes shows whether the server accepts changes: with a read-only database, reads work, but changes are rejected with 503.',
        security: [],
        response: { 200: jsonResponse('Ready', Readiness), 503: jsonResponse('Not ready', Readiness) },
      },
    },
    async (request, reply) => {
      const isResponding = isLoaded ? isDatabaseResponding() : undefined;
      if (isDraining()) return reply.code(503).send(describeReadiness(false, isResponding ?? true));
      if (isResponding !== undefined) return describeReadiness(true, isResponding);
      const snapshot = snapshotTime();
      if (snapshot !== undefined) return { ...describeReadiness(true, false), snapshot };
      try {
        await load();
        isLoaded = true;
        return describeReadiness(true, true);
      } catch (error) {
        if (isLoaded) return describeReadiness(true, false);
        request.log.warn({ err: error }, 'not ready');
        return reply.code(503).send(describeReadiness(false, false));
      }
    },
  );
}
