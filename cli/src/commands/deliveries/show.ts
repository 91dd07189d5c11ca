import { command } from '../../command.ts';
import { fields, table } from '../../output.ts';
import { data } from '../../requests.ts';
import { outcome } from './filters.ts';
import { DELIVERY, pathTo } from './path.ts';

export const deliveriesShow = command({
  name: 'deliveries show',
  brief: 'Show a delivery with its attempts',
  args: DELIVERY,
  calls: ['getIntegrationEvent'],
  output: 'IntegrationEventWithAttempts',
  examples: [{ does: 'Delivery 118 of integration 3', run: 'deliveries show 3 118' }],
  page: (_context, { integration, delivery }) =>
    `/integrations/${encodeURIComponent(integration)}/deliveries/${encodeURIComponent(delivery)}`,
  run: async (context, args) =>
    await data(
      context.read.GET('/api/admin/addons/{id}/events/{eventId}', { params: { path: pathTo(args) } }),
    ),
  text: (one, context) =>
    [
      fields(context, {
        Delivery: one.id,
        Integration: one.integrationId,
        Event: `${one.event.type} ${one.event.id}`,
        Outcome: outcome(one),
        Details: one.stateDetails,
        'Next attempt': one.nextAttemptAt,
      }),
      '',
      table(
        context,
        ['attempt', 'started', 'status', 'ms', 'error'],
        one.attemptList.map(each => [
          each.number,
          each.startedAt,
          each.status ?? each.outcome,
          each.durationMs,
          each.error,
        ]),
      ),
    ].join('\n'),
});
