import type { FastifyInstance } from 'fastify';
import type { Arrivals } from '../../admission/arrivals.ts';
import { networkOf } from '../../admission/network.ts';

/** Runs before anything that takes time. */
export function installArrivals(app: Pick<FastifyInstance, 'addHook'>, arrivals: Arrivals): void {
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      arrivals.arrive(networkOf(request.ip), done);
    } catch (error) {
      done(error as Error);
    }
  });
}
