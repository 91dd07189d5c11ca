import { command, limitOption } from '../../command.ts';
import { formatList } from '../../output.ts';
import { getData } from '../../requests.ts';
import { buildFilters, describeOutcome, FILTERS } from './filters.ts';

export const deliveriesList = command({
  name: 'deliveries list',
  brief: 'List deliveries of events to integrations, newest first',
  args: { search: { brief: 'Part of a flag name, project, creator or error', optional: true } },
  options: { ...FILTERS, limit: limitOption(1000, 50) },
  calls: ['getDeliveries'],
  output: 'IntegrationEvents',
  examples: [{ does: 'What failed?', run: 'deliveries list --state failed' }],
  page: () => '/deliveries',
  run: async (context, { search }, { limit: max, ...filters }) =>
    await getData(
      context.read.GET('/api/admin/deliveries', {
        params: { query: { ...buildFilters(search, filters), limit: max } },
      }),
    ),
  text: ({ integrationEvents, total }, context) =>
    formatList(context, {
      header: ['integration', 'delivery', 'time', 'event', 'outcome', 'details'],
      rows: integrationEvents.map(integrationEvent => [
        integrationEvent.integrationId,
        integrationEvent.id,
        integrationEvent.createdAt.slice(0, 19).replace('T', ' '),
        `${integrationEvent.event.type} ${integrationEvent.event.id}`,
        describeOutcome(integrationEvent),
        integrationEvent.stateDetails,
      ]),
      none: 'No deliveries match.',
      total,
    }),
});
