import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from './actor.ts';
import { change } from './change.ts';
import { useHarness } from './test/harness.ts';

const harness = useHarness();

const MANY = 4_001;

const written = async () => {
  const { rows } = await sql<{ number: number; groupId: string }>`
    select (data ->> 'number')::integer as number, group_id as "groupId" from events
    where type = 'tag-created' order by id`.execute(harness.db);
  return rows;
};

test('a change of thousands of events writes them a part at a time, in order and under one group', async () => {
  const before = harness.statements.length;

  await change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY; number++) record({ type: 'tag-created', data: { number } });
  });

  const inserts = harness.statements.slice(before).filter(text => text.includes('insert into events'));
  expect(inserts).toHaveLength(3);
  const rows = await written();
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: MANY }, (_, number) => number));
  expect(new Set(rows.map(({ groupId }) => groupId)).size).toBe(1);
});

test('if a later part fails, no part is there', async () => {
  const before = (await written()).length;

  const failing = change(harness.db, SYSTEM, async ({ record }) => {
    for (let number = 0; number < MANY; number++) record({ type: 'tag-created', data: { number } });
    // PostgreSQL stores no NUL.
    record({ type: 'tag-created', data: { number: MANY, text: '\0' } });
  });

  await expect(failing).rejects.toThrow();
  expect(await written()).toHaveLength(before);
});
