import { command, limitOption } from '../../command.ts';
import { buildFilters, DAYS, dayFilters, FILTERS } from './filters.ts';
import { formatEvent } from './text.ts';

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
    limit: limitOption(1000, 50),
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
  run: async (context, { search }, { from, to, before, limit: max, ...filters }) => {
    const query = {
      ...buildFilters(search, filters),
      ...dayFilters({ from, to }),
      ...(before !== undefined && { before }),
      limit: max,
    };
    const { data: result, response } = await context.read.GET('/api/admin/search/events', {
      params: { query },
    });
    const hint = response.headers.get('Halyard-Hint');
    if (hint) context.note(hint);
    return result as NonNullable<typeof result>;
  },
  text: ({ events, total, totalIsLowerBound }, context) => {
    if (events.length === 0) return 'No events match.';
    const lastEvent = events.at(-1);
    const pageHint =
      total > events.length
        ? `\n\n${events.length} of ${totalIsLowerBound ? 'at least ' : ''}${total}. The next page: --before ${lastEvent?.id}`
        : '';
    return events.map(event => formatEvent(event, context)).join('\n') + pageHint;
  },
});
