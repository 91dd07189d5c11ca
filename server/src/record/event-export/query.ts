import { badData } from '@halyard/plane/platform/errors.ts';
import { parseEnumValue } from '@halyard/plane/platform/http/input/filter.ts';
import { CURSOR, type EventCursor, type EventFilters, parseEventFilters } from '../events/search-query.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Selects the events of an export. */
export type ExportFilters = EventFilters & EventCursor;

/**
 * Parses the parameters of the export. Rejects paging parameters, because ignoring them would export all events instead of a page.
 */
export function parseEventExport(
  parameters: Record<string, unknown>,
): ExportFilters & { format: ExportFormat } {
  const pagingParameters = ['limit', 'offset'].filter(name => Object.hasOwn(parameters, name));
  if (pagingParameters.length > 0) {
    throw badData(
      pagingParameters.map(name => ({
        message: `${name} is not a parameter of the export. Use before and after to export a range of ids.`,
        path: `/query/${name}`,
      })),
    );
  }
  return parseEventFilters<EventCursor & { format: ExportFormat }>(
    parameters,
    { ...CURSOR, format: value => parseEnumValue(value, EXPORT_FORMATS) },
    { format: 'ndjson' },
  );
}
