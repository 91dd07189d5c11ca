import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { translateDbError } from './failures.ts';

const harness = useHarness();

test('the error names a tag that was deleted during the request', async () => {
  await makeFeature(harness.db, 'default', { name: 'tagged' });

  const error =
    await sql`insert into feature_tags (feature_name, type, value) values ('tagged', 'simple', 'gone')`
      .execute(harness.db)
      .catch((reason: unknown) => translateDbError(reason));

  expect(error).toMatchObject({
    name: 'BadDataError',
    details: [{ message: 'the tag with the value "gone" does not exist', path: '/body' }],
  });
});

test('a request that waited too long for a lock says that a different request holds it', async () => {
  await makeFeature(harness.db, 'default', { name: 'locked' });
  const error = await harness.db.transaction().execute(async holder => {
    await sql`select from features where name = 'locked' for update`.execute(holder);
    return await harness.db
      .transaction()
      .execute(async tx => {
        await sql`set local lock_timeout = '1ms'`.execute(tx);
        await sql`select from features where name = 'locked' for update`.execute(tx);
      })
      .catch((reason: unknown) => translateDbError(reason));
  });

  expect(error).toMatchObject({
    name: 'ServiceUnavailableError',
    message: 'A different request is changing the same data and has not finished. Retry in a few seconds.',
  });
});
