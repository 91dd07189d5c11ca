import type { FastifyInstance } from 'fastify';
import { toNetwork } from '../../admission/network.ts';
import type { NetworkQueues } from '../../admission/network-queues.ts';

/** Queues requests by network, before anything that takes long. */
export function installNetworkQueues(
  app: Pick<FastifyInstance, 'addHook'>,
  networkQueues: NetworkQueues,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      networkQueues.enqueue(toNetwork(request.ip), done);
    } catch (error) {
      done(error as Error);
    }
  });
}
