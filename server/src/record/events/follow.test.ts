import pg from 'pg';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { decidedUpTo, followEvents } from './follow.ts';

const harness = useHarness();

/** A transaction of its own, held open by hand. */
async function openTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  return client;
}

async function writeEvent(client: pg.Client, name: string): Promise<number> {
  const { rows } = await client.query(
    `insert into events (group_id, type, created_by, project) values ($1, 'project-created', 'test', $1) returning id`,
    [name],
  );
  return Number(rows[0].id);
}

async function end(client: pg.Client, how: 'commit' | 'rollback'): Promise<void> {
  await client.query(how);
  await client.end();
}

test('a lower id that commits late is neither lost nor reordered for a follower', async () => {
  const start = await decidedUpTo(harness.db);
  const slow = await openTransaction();
  const fast = await openTransaction();
  // The fast one has the older transaction and takes its id later: order of transactions is no help.
  await fast.query('select pg_current_xact_id()');
  const low = await writeEvent(slow, 'low');
  const high = await writeEvent(fast, 'high');
  await end(fast, 'commit');

  const early = await followEvents(harness.db, start, 100);
  await end(slow, 'commit');
  const late = await followEvents(harness.db, early.at(-1)?.id ?? start, 100);

  expect(low).toBeLessThan(high);
  expect(early).toEqual([]);
  expect(late.map(event => event.id)).toEqual([low, high]);
});

test('a follower passes over the id of a transaction that was rolled back', async () => {
  const start = await decidedUpTo(harness.db);
  const given = await openTransaction();
  await writeEvent(given, 'given up');
  const kept = await openTransaction();
  const id = await writeEvent(kept, 'kept');
  await end(kept, 'commit');
  await end(given, 'rollback');

  const events = await followEvents(harness.db, start, 100);

  expect(events.map(event => event.id)).toEqual([id]);
});

test('what was committed before an open writer began is read while it is open', async () => {
  const start = await decidedUpTo(harness.db);
  const first = await openTransaction();
  const id = await writeEvent(first, 'first');
  await end(first, 'commit');
  const open = await openTransaction();
  await writeEvent(open, 'open');

  const events = await followEvents(harness.db, start, 100);

  expect(events.map(event => event.id)).toEqual([id]);
  await end(open, 'rollback');
});

test('a follower that reads while sixteen writers race misses nothing and sees ids rise', async () => {
  const start = await decidedUpTo(harness.db);
  let writing = true;
  const seen: number[] = [];
  const follow = async () => {
    for (const event of await followEvents(harness.db, seen.at(-1) ?? start, 1_000)) seen.push(event.id);
  };
  const follower = (async () => {
    while (writing) await follow();
  })();

  const written = await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      const ids: number[] = [];
      for (let round = 0; round < 25; round++) {
        const client = await openTransaction();
        const id = await writeEvent(client, `race ${writer}`);
        await new Promise(resolve => setTimeout(resolve, Math.random() * 8));
        await end(client, round % 5 === 0 ? 'rollback' : 'commit');
        if (round % 5 !== 0) ids.push(id);
      }
      return ids;
    }),
  );
  writing = false;
  await follower;
  await follow();

  expect(seen).toEqual(written.flat().toSorted((a, b) => a - b));
});
