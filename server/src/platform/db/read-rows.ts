import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * The rows of a query in batches, so that a long result is never in memory as a whole. Only one such read per transaction. Each
 * step is a statement with the usual timeouts, which a driver cursor would not have.
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
