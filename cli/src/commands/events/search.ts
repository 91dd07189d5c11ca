import { command, limit } from '../../command.ts';
import { DAYS, daysOf, FILTERS, filtersOf } from './filters.ts';
import { eventLine } from './text.ts';

export const eventsSearch = command({
  name: 'events search',
  brief: 'Search the log of all changes, newest first',
  args: { search: { brief: 'A string in the data, the tags or the comment of an event', optional: true } },
  options: {
    ...FILTERS,
    ...DAYS,
    before: {
      type: 'integer',
      value: 'id',
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      brief: 'Only events with a lower id, for the next page',
    },
    limit: limit(1000, 50),
  },
  calls: ['searchEvents'],
  output: 'EventSearchResult',
  examples: [
    {
      does: 'Who changed this flag in production?',
      run: 'events search --flag checkout-v2 --environment production',
    },
    { does: 'Everything about an incident', run: 'events search INC-1234' },
  ],
  page: (_context, { search }) => (search ? `/events?query=${encodeURIComponent(search)}` : '/events'),
  run: async (context, { search }, { from, to, before, limit: most, ...filters }) => {
    const query = {
      ...filtersOf(search, filters),
      ...daysOf({ from, to }),
      ...(before !== undefined && { before }),
      limit: most,
    };
    const { data: found, response } = await context.read.GET('/api/admin/search/events', {
      params: { query },
    });
    const hint = response.headers.get('Halyard-Hint');
    if (hint) context.note(hint);
    return found as NonNullable<typeof found>;
  },
  text: ({ events, total, totalIsLowerBound }, context) => {
    if (events.length === 0) return 'No event matches.';
    const last = events.at(-1);
    const rest =
      total > events.length
        ? `\n\n${events.length} of ${totalIsLowerBound ? 'at least ' : ''}${total}. The next page: --before ${last?.id}`
        : '';
    return events.map(event => eventLine(event, context)).join('\n') + rest;
  },
});
