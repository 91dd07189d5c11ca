import type { ClientSighting } from '@halyard/plane/counting/clients.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApiToken } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { writeSightings } from './store.ts';

const harness = useHarness();
const OLDER_CHANGES = 5_000;
const INSTANCES = 20;
const NEW_CHANGES = 3;

test('counting the instances that have a change reads only the new changes, no matter how many older ones there are', async () => {
  const { db } = harness;
  await makeApiToken(db, {
    tokenName: 'reach',
    type: 'backend',
    environment: 'development',
    projects: ['*'],
  });
  const { rows } = await sql<{ token: number; epoch: string; start: number }>`
    select api_tokens.id as token, database_epoch.id as epoch,
      (select coalesce(max(revision), 0) from sdk_publications where environment = 'development') as start
    from api_tokens, database_epoch where name = 'reach'`.execute(db);
  const [{ token, epoch, start } = { token: 0, epoch: '', start: 0 }] = rows;
  const last = start + OLDER_CHANGES + NEW_CHANGES;
  await sql`insert into sdk_publications (environment, revision)
    select 'development', generate_series(${start}::integer + 1, ${last}::integer)`.execute(db);
  const sightings = (revision: number): ClientSighting[] =>
    Array.from({ length: INSTANCES }, (_, n) => ({
      token,
      id: `connection-${n}`,
      environment: 'development',
      projects: null,
      application: 'shop',
      instance: `pod-${n}`,
      epoch,
      revision,
      isExact: false,
      isStreaming: false,
      interval: 15,
      age: 0,
    }));
  await db.transaction().execute(tx => writeSightings(tx, 'server', sightings(last - NEW_CHANGES)));

  const rowsRead = await db.transaction().execute(async tx => {
    await writeSightings(tx, 'server', sightings(last));
    const read = await sql<{ count: number }>`
      select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_user_tables
      where relname = 'sdk_publications'`.execute(tx);
    return read.rows[0]?.count;
  });

  const counted = await sql<{ instances: number }>`
    select instances from sdk_publications where environment = 'development' and revision > ${last - NEW_CHANGES}
    order by revision`.execute(db);
  expect(counted.rows.map(({ instances }) => instances)).toEqual(Array(NEW_CHANGES).fill(INSTANCES));
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(OLDER_CHANGES);
});
