import { command, limit } from '../../command.ts';
import { list } from '../../output.ts';
import { data } from '../../requests.ts';
import { FILTERS, filtersOf, outcome } from './filters.ts';

export const deliveriesList = command({
  name: 'deliveries list',
  brief: 'List deliveries of events to integrations, newest first',
  args: { search: { brief: 'Part of a flag, a project, a creator or an error', optional: true } },
  options: { ...FILTERS, limit: limit(1000, 50) },
  calls: ['getDeliveries'],
  output: 'IntegrationEvents',
  examples: [{ does: 'What failed?', run: 'deliveries list --state failed' }],
  page: () => '/deliveries',
  run: async (context, { search }, { limit: most, ...filters }) =>
    await data(
      context.read.GET('/api/admin/deliveries', {
        params: { query: { ...filtersOf(search, filters), limit: most } },
      }),
    ),
  text: ({ integrationEvents, total }, context) =>
    list(context, {
      header: ['integration', 'delivery', 'time', 'event', 'outcome', 'details'],
      rows: integrationEvents.map(one => [
        one.integrationId,
        one.id,
        one.createdAt.slice(0, 19).replace('T', ' '),
        `${one.event.type} ${one.event.id}`,
        outcome(one),
        one.stateDetails,
      ]),
      none: 'No delivery matches.',
      total,
    }),
});
