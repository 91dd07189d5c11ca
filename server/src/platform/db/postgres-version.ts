import type pg from 'pg';

/** The oldest version that supports everything our statements use. */
export const MIN_POSTGRES_VERSION = 15;

export class OldPostgresError extends Error {
  readonly major: number;

  constructor(major: number) {
    super(`PostgreSQL ${major} is older than ${MIN_POSTGRES_VERSION}`);
    this.major = major;
  }
}

export async function rejectOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  );
  const major = Math.floor(Number(rows[0]?.version) / 10_000);
  if (major < MIN_POSTGRES_VERSION) throw new OldPostgresError(major);
}
