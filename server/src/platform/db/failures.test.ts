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
