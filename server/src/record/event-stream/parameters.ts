import { badData } from '../../../../plane/src/platform/errors.ts';
import { FilterError, MAX_ID, parsePosition } from '../../../../plane/src/platform/http/input/filter.ts';
import { type EventFilters, parseEventFilters, parseParts } from '../events/search-query.ts';

/** The filters of a stream, and the id of the last event that the client has. */
export type StreamSearch = EventFilters & { parts?: boolean; after?: number };

const hasNoPages = (): never => {
  throw new FilterError('is not a parameter of the stream, which has no pages. Remove it.');
};
const hasNoDays = (): never => {
  throw new FilterError(
    'is not a parameter of the stream, which sends new events. Search with GET /api/admin/search/events for events of past days.',
  );
};
const NOT_OF_STREAMS = {
  offset: hasNoPages,
  limit: hasNoPages,
  before: hasNoPages,
  from: hasNoDays,
  to: hasNoDays,
};

/**
 * Parses the parameters of the stream, or throws an error with every violation. The header Last-Event-ID takes precedence over
 * `after`, because a browser that reconnects sends the header and repeats the URL.
 */
export function parseEventStream(
  parameters: Record<string, unknown>,
  lastEventId: string | undefined,
): StreamSearch {
  const parsers = { ...NOT_OF_STREAMS, parts: parseParts, after: parsePosition };
  const search = parseEventFilters<{ parts?: boolean; after?: number }>(parameters, parsers, {});
  if (!lastEventId) return search;
  const after = Number(lastEventId);
  if (after > MAX_ID) throw badData([{ message: `last-event-id must be an integer from 0 to ${MAX_ID}` }]);
  return { ...search, after };
}

/** An id that no event can have yet belongs to a different log. The client would miss every event up to it. */
export function rejectUnassigned(after: number, lastAssigned: number): void {
  if (after <= lastAssigned) return;
  throw badData([
    {
      message: `Event ${after} does not exist: the last id in the log is ${lastAssigned}. Connect without Last-Event-ID and without after, or with an id from this log.`,
    },
  ]);
}
