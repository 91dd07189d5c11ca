import { command } from '../../command.ts';
import { formatFields, formatTable } from '../../output.ts';
import { getData } from '../../requests.ts';
import { describeOutcome } from './filters.ts';
import { DELIVERY, toPathParameters } from './path.ts';

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
    await getData(
      context.read.GET('/api/admin/addons/{id}/events/{eventId}', {
        params: { path: toPathParameters(args) },
      }),
    ),
  text: (delivery, context) =>
    [
      formatFields(context, {
        Delivery: delivery.id,
        Integration: delivery.integrationId,
        Event: `${delivery.event.type} ${delivery.event.id}`,
        Outcome: describeOutcome(delivery),
        Details: delivery.stateDetails,
        'Next attempt': delivery.nextAttemptAt,
      }),
      '',
      formatTable(
        context,
        ['attempt', 'started', 'status', 'ms', 'error'],
        delivery.attemptList.map(attempt => [
          attempt.number,
          attempt.startedAt,
          attempt.status ?? attempt.outcome,
          attempt.durationMs,
          attempt.error,
        ]),
      ),
    ].join('\n'),
});
