import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Waits for others who add things of this kind, and keeps them waiting until the transaction ends: what is counted
 * afterwards stays true. Comes before locks on the rows themselves.
 */
export async function lockAdding(
  tx: Tx,
  what: 'projects' | 'environments' | 'segments' | 'features' | 'api tokens',
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${what}))`.execute(tx);
}
