import { badData } from '../../../../plane/src/platform/errors.ts';
import { parseWord } from '../../../../plane/src/platform/http/input/filter.ts';
import { CURSOR, type EventCursor, type EventFilters, parseEventFilters } from '../events/search-query.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The events of an export, newest first. */
export type ExportedEvents = EventFilters & EventCursor;

/** Parses the parameters of the export. It rejects paging parameters, because ignoring them would export all events instead of some. */
export function parseEventExport(
  parameters: Record<string, unknown>,
): ExportedEvents & { format: ExportFormat } {
  const paging = ['limit', 'offset'].filter(name => Object.hasOwn(parameters, name));
  if (paging.length > 0) {
    throw badData(
      paging.map(name => ({
        message: `${name} is not a parameter of the export. Use before and after to export a range of ids.`,
        path: `/query/${name}`,
      })),
    );
  }
  return parseEventFilters<EventCursor & { format: ExportFormat }>(
    parameters,
    { ...CURSOR, format: value => parseWord(value, EXPORT_FORMATS) },
    { format: 'ndjson' },
  );
}
