import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';

type Row = { enabled: boolean };

export async function findMaintenance(db: Reader): Promise<boolean> {
  const { rows } = await sql<Row>`select enabled from maintenance_settings`.execute(db);
  return rows[0]?.enabled ?? false;
}

export async function lockMaintenance(tx: Tx): Promise<boolean> {
  const { rows } = await sql<Row>`select enabled from maintenance_settings for no key update`.execute(tx);
  return rows[0]?.enabled ?? false;
}

export async function saveMaintenance(tx: Tx, enabled: boolean): Promise<void> {
  await sql`update maintenance_settings set enabled = ${enabled}`.execute(tx);
}
