import pg from 'pg';

/** How many ids to skip after the slow event. Other changes use fewer ids while the slow change is uncommitted. */
const SKIPPED_IDS = 150;

/** Starts a change without committing it. The id of its event is at least 150 lower than the ids of later events. */
export async function startSlowChange(
  databaseUrl: string,
  { type, project, flag }: { type: string; project: string; flag: string },
): Promise<{ commit: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(
    `insert into events (group_id, type, created_by, project, feature_name)
     values ('slow change', $1, 'slow', $2, $3)`,
    [type, project, flag],
  );
  await client.query(
    `select nextval(pg_get_serial_sequence('events', 'id')) from generate_series(1, ${SKIPPED_IDS})`,
  );
  return {
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}
