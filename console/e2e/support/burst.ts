import pg from 'pg';

/** Inserts one event for each flag name in a single transaction. Each event belongs to a separate change. */
export async function insertEvents(databaseUrl: string, project: string, names: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into events (group_id, type, created_by, project, feature_name)
     select 'change of ' || name, 'feature-created', 'burst', $1, name from unnest($2::text[]) name`,
    [project, names],
  );
  await client.end();
}
