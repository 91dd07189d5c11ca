import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

/** Such as 17.6, without what the packager adds: 17.6 (Debian 17.6-1). */
export async function readPostgresVersion(db: Reader): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version`.execute(db);
  return rows[0]?.version ?? '';
}
