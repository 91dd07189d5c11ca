import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Yields the rows of a query in batches, so that a long result is never in memory as a whole. A transaction can have only one such
 * read. Each batch is a separate statement with the usual timeouts, which a driver's cursor would not have.
 */
export async function* readRows<T>(
  tx: Tx,
  query: RawBuilder<T>,
  rowsPerFetch: number,
): AsyncGenerator<T[], void> {
  await sql`declare halyard_rows no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<T>`fetch forward ${sql.lit(rowsPerFetch)} from halyard_rows`.execute(tx);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerFetch) break;
  }
  await sql`close halyard_rows`.execute(tx);
}
