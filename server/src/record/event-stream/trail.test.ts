import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { makeTrail } from './trail.ts';

const harness = useHarness();

const addEvent = async (id: number) =>
  await sql`
    insert into events (id, group_id, type, created_by, project)
    values (${id}, ${`group ${id}`}, 'project-created', 'x', 'default')`.execute(harness.db);

test('finds the position up to which the log has not changed', async () => {
  const { db } = harness;
  await addEvent(100_000);
  const position = 130_000;
  const trail = await makeTrail(db, position);

  expect(await trail.findCommonPosition(db, position)).toBe(position);

  await addEvent(120_000);
  expect(await trail.findCommonPosition(db, position)).toBe(119_999);
});
