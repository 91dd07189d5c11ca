import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';

type Row = { origins: string[] };

export async function findOrigins(db: Reader): Promise<string[]> {
  const { rows } = await sql<Row>`select origins from cors_settings`.execute(db);
  return rows[0]?.origins ?? [];
}

export async function lockOrigins(tx: Tx): Promise<string[]> {
  const { rows } = await sql<Row>`select origins from cors_settings for no key update`.execute(tx);
  return rows[0]?.origins ?? [];
}

export async function saveOrigins(tx: Tx, origins: string[]): Promise<void> {
  await sql`update cors_settings set origins = ${origins}`.execute(tx);
}
