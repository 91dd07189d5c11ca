import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { count } from '../../output.ts';
import { data } from '../../requests.ts';
import { DELIVERY, pathTo } from './path.ts';

export const deliveriesRedeliver = command({
  name: 'deliveries redeliver',
  brief: 'Deliver an event to an integration again',
  args: DELIVERY,
  writes: 'change',
  ownDryRun: true,
  calls: ['redeliverIntegrationEvent'],
  output: {
    anyOf: [{ $ref: '#/components/schemas/QueuedDeliveries' }, { $ref: '#/components/schemas/ReplayPlan' }],
  },
  examples: [{ does: 'Deliver it again', run: 'deliveries redeliver 3 118' }],
  run: async (context, args): Promise<schemas['QueuedDeliveries'] | schemas['ReplayPlan']> => {
    const path = pathTo(args);
    const redeliver = '/api/admin/addons/{id}/events/{eventId}/redeliver';
    if (context.given.dryRun)
      return await data(context.read.POST(redeliver, { params: { path, query: { dryRun: 'true' } } }));
    return await data(context.write.POST(redeliver, { params: { path } }));
  },
  text: result =>
    'firstEvent' in result
      ? `Nothing was sent. Without --dry-run, ${count(result.deliveries, 'delivery', 'deliveries')} would be queued.`
      : `Queued ${count(result.deliveries, 'delivery', 'deliveries')}.`,
});
