import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSetupData } from '../../../scripts/setup-data.ts';
import { useDeliveries } from '../deliveries.ts';
import { useHarness } from '../harness.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { listOperations } from '../operations.ts';
import { useSdkServer } from '../sdk-server.ts';
import type { RecordedBodies } from './recorder.ts';
import { recordResponses } from './run.ts';
import { toExamples } from './shorten.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);
useSdkServer(harness);
let provider: IdentityProvider;
let recordedBodies: RecordedBodies;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const people = await makeSetupData(harness.db);
  recordedBodies = await recordResponses({ harness, deliveries, provider, people });
});
afterAll(() => provider.close());

test('every operation that returns a body has a recorded example', () => {
  const expected = listOperations().flatMap(({ id, bodies }) => bodies.map(status => `${id} ${status}`));

  expect(Object.keys(recordedBodies).sort()).toEqual(expected.sort());
});

test('the examples in the API document are the recorded responses', async () => {
  const examples = toExamples(recordedBodies);

  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
    '../../platform/http/description/recorded-examples.json',
  );
});
