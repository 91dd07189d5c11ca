import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SEED } from '../../test/campaign.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../test/database.ts';
import { randomFrom, runCampaign } from '../../test/delivery-campaign.ts';

test('loses no delivery and records every attempt when the server is killed', async () => {
  const name = `halyard_test_${randomBytes(6).toString('hex')}`;
  await createDatabase(name);
  try {
    const result = await runCampaign({
      databaseUrl: getDatabaseUrl(name),
      events: 90,
      integrations: 3,
      kills: 3,
      killWithinMs: 10_000,
      hanging: 0,
      // Rejects only one event, so that there are too few failures to open the circuit.
      rejectEvery: 80,
      random: randomFrom(SEED),
      settleWithinMs: 180_000,
    });

    process.stdout.write(`kill -9 while delivering: ${JSON.stringify({ seed: SEED, ...result })}\n`);
    expect(result).toMatchObject({
      deliveries: 270,
      open: 0,
      lost: 0,
      phantom: 0,
      unrecorded: 0,
      unfinished: 0,
    });
    expect(result.failed).toBeGreaterThan(0);
    // Proves that the server was killed while requests were in flight.
    expect(result.interrupted).toBeGreaterThan(0);
  } finally {
    await dropDatabase(name);
  }
});
