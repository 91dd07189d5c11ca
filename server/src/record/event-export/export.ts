import type { Actor } from '../../platform/actor.ts';
import type { Pieces } from '../../platform/http/output/stream.ts';
import type { ExportSource } from '../../platform/http/protection/long-reads.ts';
import type { SearchMemory } from '../event-search/indexed.ts';
import { readAhead, readBatches } from './batches.ts';
import { LINES } from './lines.ts';
import type { ExportFilters, ExportFormat } from './query.ts';

/** Yields the text of an export, one piece for each batch. Only root admins see IP addresses. */
export async function* exportEvents(
  source: ExportSource,
  actor: Actor,
  filters: ExportFilters,
  format: ExportFormat,
  memory?: SearchMemory,
): Pieces {
  const { header, line } = LINES[format];
  const headerLine = header(actor.isAdmin);
  if (headerLine !== '') yield headerLine;
  yield* readAhead(readBatches(source, actor, filters, line(actor), memory));
}
