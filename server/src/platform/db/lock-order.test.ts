import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { GENERATED, SEED, sized } from '../../test/campaign.ts';
import { copyDatabase, discardDatabase, urlOf } from '../../test/database.ts';
import { randomFrom } from '../../test/delivery-campaign.ts';
import {
  type LockCampaign,
  locksOf,
  pausesOf,
  startLockCampaign,
  type Write,
} from '../../test/lock-campaign.ts';
import { LOCK_ORDER } from './lock-order.ts';

const SAMPLE_MS = sized({ usual: 2_000, long: 600_000 });
const name = `halyard_locks_${randomBytes(6).toString('hex')}`;
let campaign: LockCampaign;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  campaign = await startLockCampaign(urlOf(name));
});
afterAll(async () => {
  await campaign?.close();
  await discardDatabase(name);
});

test('every write of the API that can be tried takes its locks in one order', () => {
  const places: readonly string[] = LOCK_ORDER;
  const wrong = campaign.writes.flatMap(write => {
    const locks = locksOf(write);
    const sorted = locks.toSorted((a, b) => places.indexOf(a) - places.indexOf(b));
    const known = locks.every(lock => places.includes(lock));
    return known && locks.join() === sorted.join() ? [] : [`${write.name}: ${locks.join(', ')}`];
  });

  expect(wrong).toEqual([]);
  expect(campaign.writes.length).toBeGreaterThan(140);
  expect(campaign.unreached.length).toBeLessThan(10);
});

test('a deadlock is noticed', async () => {
  const locking = (first: 'features' | 'projects', second: 'features' | 'projects'): Write => {
    const statements = [first, second].map(table => `select from ${table} for update`);
    return {
      name: `${first}, then ${second}`,
      statements,
      send: async ({ db }) => {
        await db
          .transaction()
          .execute(async tx => {
            for (const statement of statements) await sql.raw(statement).execute(tx);
          })
          .catch(() => {});
      },
    };
  };

  const deadlocks = await campaign.run({
    first: locking('features', 'projects'),
    second: locking('projects', 'features'),
    at: 1,
  });

  expect(deadlocks).toHaveLength(1);
});

test('writes about the same flag, project and environment do not deadlock', GENERATED, async () => {
  const writes = campaign.writes.filter(({ name }) =>
    /project|feature|environment|segment|tag|strateg/.test(name),
  );
  const random = randomFrom(SEED);
  const pick = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];
  const until = performance.now() + SAMPLE_MS;
  const found: string[] = [];
  let trials = 0;
  while (performance.now() < until) {
    const [first, second] = [pick(writes), pick(writes)];
    const at = first && pick(pausesOf(first));
    if (!first || !second || at === undefined) continue;
    trials++;
    const deadlocks = await campaign.run({ first, second, at });
    if (deadlocks.length > 0) found.push(`${first.name} at ${at} and ${second.name}: ${deadlocks.join()}`);
  }

  expect(found, `SEED=${SEED}`).toEqual([]);
  expect(trials).toBeGreaterThan(0);
});

test('cloning a flag into a different project and reviving the flag do not deadlock', GENERATED, async () => {
  const clone = campaign.writes.find(({ name }) => name.endsWith('/{featureName}/clone'));
  const revive = campaign.writes.find(({ name }) => name.endsWith('{projectId}/revive'));
  if (!clone || !revive) throw new Error('The campaign has no such writes');

  for (const [first, second] of [
    [clone, revive],
    [revive, clone],
  ] as const)
    for (let at = 1; at < first.statements.length; at++)
      expect(await campaign.run({ first, second, at })).toEqual([]);
});
