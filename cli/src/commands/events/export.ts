import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { failure } from '../../errors.ts';
import { buildPath, requireSuccess } from '../../requests.ts';
import { buildFilters, DAYS, dayFilters, FILTERS } from './filters.ts';

export const eventsExport = command({
  name: 'events export',
  brief: 'Export events as NDJSON or CSV, oldest first',
  description:
    'To continue an export later, pass the id of the last event with --after. The export is a stream, so it uses little memory, no matter how many events it has.',
  args: { search: { brief: 'A string in the data, the tags or the comment of an event', optional: true } },
  options: {
    ...FILTERS,
    ...DAYS,
    after: {
      type: 'integer',
      value: 'id',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      brief: 'Only events with a higher id',
    },
    format: { type: 'choice', choices: ['ndjson', 'csv'], default: 'ndjson', brief: 'Format of the lines' },
  },
  streams: true,
  calls: ['exportEvents'],
  output: {
    description: 'An event without its summary. With --format csv, a line of the table',
    type: 'object',
    required: ['id', 'createdAt', 'type', 'createdBy', 'data', 'preData'],
    properties: {
      id: { type: 'integer' },
      createdAt: { type: 'string' },
      type: { type: 'string' },
      createdBy: { type: 'string' },
      project: { type: ['string', 'null'] },
      featureName: { type: ['string', 'null'] },
      environment: { type: ['string', 'null'] },
      data: {},
      preData: {},
    },
  },
  examples: [
    {
      does: 'All events in October',
      run: 'events export --from 2026-10-01 --to 2026-10-31 > october.ndjson',
    },
    { does: 'For a spreadsheet', run: 'events export --project payments --format csv > payments.csv' },
  ],
  run: (context, { search }, { from, to, after, format, ...filters }) =>
    exportLines(context, {
      format,
      ...buildFilters(search, filters),
      ...dayFilters({ from, to }),
      ...(after !== undefined && { after }),
    }),
  text: line => line,
});

async function* exportLines(context: Context, query: Record<string, unknown>): AsyncGenerator<string> {
  const path = buildPath('/api/admin/search/events/export', { query });
  // The stream has no timeout, because a large export can take a long time.
  const response = await requireSuccess(
    await context.send('GET', path, { signal: context.signal }),
    context.connection().server,
  );
  let partialLine = '';
  try {
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = (partialLine + text).split('\n');
      partialLine = parts.pop() ?? '';
      if (parts.length > 0) yield parts.join('\n');
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw failure(
      `The export was interrupted: ${(error as Error).message}. All printed lines are complete.`,
      'Continue with --after and the id of the last event.',
    );
  }
  if (partialLine !== '') yield partialLine;
}
