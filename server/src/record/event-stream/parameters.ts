import { badData } from '@halyard/plane/platform/errors.ts';
import { FilterError, MAX_ID, parsePosition } from '@halyard/plane/platform/http/input/filter.ts';
import { type EventFilters, parseEventFilters, parseParts } from '../events/search-query.ts';

/** The filters of a stream, and the id of the last event the client received. */
export type StreamSearch = EventFilters & { parts?: boolean; after?: number };

const rejectPaging = (): never => {
  throw new FilterError('is not a parameter of the stream, which has no pages. Remove it.');
};
const rejectDays = (): never => {
  throw new FilterError(
    'is not a parameter of the stream, which sends new events. To find past events, use GET /api/admin/search/events.',
  );
};
const UNSUPPORTED_PARAMETERS = {
  offset: rejectPaging,
  limit: rejectPaging,
  before: rejectPaging,
  from: rejectDays,
  to: rejectDays,
};

/**
 * Parses the parameters of the stream, or throws an error with every violation. The header Last-Event-ID takes precedence over
 * `after`, because a browser that reconnects sends the header and repeats the URL.
 */
export function parseEventStream(
  parameters: Record<string, unknown>,
  lastEventId: string | undefined,
): StreamSearch {
  const parsers = { ...UNSUPPORTED_PARAMETERS, parts: parseParts, after: parsePosition };
  const search = parseEventFilters<{ parts?: boolean; after?: number }>(parameters, parsers, {});
  if (!lastEventId) return search;
  const after = Number(lastEventId);
  if (after > MAX_ID) throw badData([{ message: `last-event-id must be an integer from 0 to ${MAX_ID}` }]);
  return { ...search, after };
}

/**
 * Rejects an id that no event has yet. The id must come from a different log, so the client would miss every event up to that id.
 */
export function rejectUnassigned(afterId: number, lastAssigned: number): void {
  if (afterId <= lastAssigned) return;
  throw badData([
    {
      message: `Event ${afterId} does not exist: the last id in the log is ${lastAssigned}. Connect without Last-Event-ID and after, or use an id from this log.`,
    },
  ]);
}
