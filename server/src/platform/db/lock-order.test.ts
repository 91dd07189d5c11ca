import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../test/database.ts';
import { randomFrom } from '../../test/delivery-campaign.ts';
import {
  findPausePoints,
  type LockCampaign,
  listLocks,
  startLockCampaign,
  type Write,
} from '../../test/lock-campaign.ts';
import { LOCK_ORDER } from './lock-order.ts';

const SAMPLE_MS = campaignSize({ usual: 2_000, long: 600_000 });
const name = `halyard_locks_${randomBytes(6).toString('hex')}`;
let campaign: LockCampaign;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  campaign = await startLockCampaign(getDatabaseUrl(name));
});
afterAll(async () => {
  await campaign?.close();
  await discardDatabase(name);
});

test('every API write that the campaign can send takes its locks in the order of LOCK_ORDER', () => {
  const lockOrder: readonly string[] = LOCK_ORDER;
  const violations = campaign.writes.flatMap(write => {
    const locks = listLocks(write);
    const sortedLocks = locks.toSorted((a, b) => lockOrder.indexOf(a) - lockOrder.indexOf(b));
    const areKnown = locks.every(lock => lockOrder.includes(lock));
    return areKnown && locks.join() === sortedLocks.join() ? [] : [`${write.name}: ${locks.join(', ')}`];
  });

  expect(violations).toEqual([]);
  expect(campaign.writes.length).toBeGreaterThan(140);
  expect(campaign.unreachedOperations.length).toBeLessThan(10);
});

test('the campaign reports a deadlock', async () => {
  const makeWrite = (first: 'features' | 'projects', second: 'features' | 'projects'): Write => {
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
    first: makeWrite('features', 'projects'),
    second: makeWrite('projects', 'features'),
    pauseAt: 1,
  });

  expect(deadlocks).toHaveLength(1);
});

test('writes to the same flag, project and environment do not deadlock', GENERATED, async () => {
  const writes = campaign.writes.filter(({ name }) =>
    /project|feature|environment|segment|tag|strateg/.test(name),
  );
  const random = randomFrom(SEED);
  const pick = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];
  const deadline = performance.now() + SAMPLE_MS;
  const deadlockReports: string[] = [];
  let trialCount = 0;
  while (performance.now() < deadline) {
    const [first, second] = [pick(writes), pick(writes)];
    const pauseAt = first && pick(findPausePoints(first));
    if (!first || !second || pauseAt === undefined) continue;
    trialCount++;
    const deadlocks = await campaign.run({ first, second, pauseAt });
    if (deadlocks.length > 0)
      deadlockReports.push(`${first.name} at ${pauseAt} and ${second.name}: ${deadlocks.join()}`);
  }

  expect(deadlockReports, `SEED=${SEED}`).toEqual([]);
  expect(trialCount).toBeGreaterThan(0);
});

test('cloning a flag into a different project and reviving the flag do not deadlock', GENERATED, async () => {
  const clone = campaign.writes.find(({ name }) => name.endsWith('/{featureName}/clone'));
  const revive = campaign.writes.find(({ name }) => name.endsWith('{projectId}/revive'));
  if (!clone || !revive) throw new Error('The campaign has no such writes');

  for (const [first, second] of [
    [clone, revive],
    [revive, clone],
  ] as const)
    for (let pauseAt = 1; pauseAt < first.statements.length; pauseAt++)
      expect(await campaign.run({ first, second, pauseAt })).toEqual([]);
});
