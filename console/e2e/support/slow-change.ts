import pg from 'pg';

/** More than the ids that changes take while another change is under way. */
const LATER_IDS = 150;

/** An event of a change that has not committed yet. Its id is lower than those of later changes by 150 or more. */
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
    `select nextval(pg_get_serial_sequence('events', 'id')) from generate_series(1, ${LATER_IDS})`,
  );
  return {
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}
