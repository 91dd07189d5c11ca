import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { formatCount } from '../../output.ts';
import { getData } from '../../requests.ts';
import { DELIVERY, toPathParameters } from './path.ts';

export const deliveriesRedeliver = command({
  name: 'deliveries redeliver',
  brief: 'Redeliver an event to an integration',
  args: DELIVERY,
  writes: 'change',
  ownDryRun: true,
  calls: ['redeliverIntegrationEvent'],
  output: {
    anyOf: [{ $ref: '#/components/schemas/QueuedDeliveries' }, { $ref: '#/components/schemas/ReplayPlan' }],
  },
  examples: [{ does: 'Deliver it again', run: 'deliveries redeliver 3 118' }],
  run: async (context, args): Promise<schemas['QueuedDeliveries'] | schemas['ReplayPlan']> => {
    const path = toPathParameters(args);
    const redeliverUrl = '/api/admin/addons/{id}/events/{eventId}/redeliver';
    if (context.sharedOptions.dryRun)
      return await getData(context.read.POST(redeliverUrl, { params: { path, query: { dryRun: 'true' } } }));
    return await getData(context.write.POST(redeliverUrl, { params: { path } }));
  },
  text: result =>
    'firstEvent' in result
      ? `Nothing was sent. Without --dry-run, ${formatCount(result.deliveries, 'delivery', 'deliveries')} would be queued.`
      : `Queued ${formatCount(result.deliveries, 'delivery', 'deliveries')}.`,
});
