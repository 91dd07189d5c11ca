import { command } from '../../command.ts';
import { buildFilters, FILTERS } from './filters.ts';
import { tailEvents } from './stream.ts';
import { formatEvent } from './text.ts';

export const eventsTail = command({
  name: 'events tail',
  brief: 'Print events as they happen',
  description:
    'It runs until you press Ctrl+C. If the connection breaks, it resumes after the last event, so that no event is missed or printed twice.',
  args: { search: { brief: 'A string in the data, the tags or the comment of an event', optional: true } },
  options: {
    ...FILTERS,
    after: {
      type: 'integer',
      value: 'id',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      brief: 'Begin after this event; 0 prints the whole log',
    },
    count: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000_000,
      brief: 'Stop after this many events',
    },
  },
  streams: true,
  calls: ['streamEvents'],
  output: 'Event',
  examples: [
    { does: 'Watch production', run: 'events tail --environment production' },
    { does: 'Wait until a flag changes', run: 'events tail --flag checkout-v2 --count 1' },
  ],
  run: async function* (context, { search }, { after, count, ...filters }) {
    let remaining = count ?? Number.POSITIVE_INFINITY;
    for await (const event of tailEvents(
      context,
      buildFilters(search, filters),
      after === undefined ? undefined : String(after),
    )) {
      yield event;
      if (--remaining <= 0) return;
    }
  },
  text: formatEvent,
});
