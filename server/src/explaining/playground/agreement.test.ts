import fc from 'fast-check';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { campaignSize, SEED } from '../../test/campaign.ts';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import {
  ADDITIONAL_TYPES,
  type RandomFlag,
  randomConstraints,
  randomContext,
  randomFlag,
} from '../../test/random-flags.ts';
import { replay } from '../../test/replay-explanation.ts';
import { call } from '../../test/request.ts';
import { startSdk } from '../../test/sdk-client.ts';
import { useSdkServer } from '../../test/sdk-server.ts';

const FLAG_COUNT = campaignSize({ usual: 30, long: 200 });
const CONTEXT_COUNT = campaignSize({ usual: 10, long: 50 });
/** The first PARENT_COUNT flags can be parents of the later ones. */
const PARENT_COUNT = Math.floor(FLAG_COUNT / 3);
const SEGMENT_COUNT = 4;

const harness = useHarness();
const server = useSdkServer(harness);
const BASE_PATH = '/api/admin/projects/default/features';

const request = async (method: 'POST' | 'PUT', url: string, body?: unknown) => {
  const response = await call(harness.app, method, url, { body });
  expect(response.status, `${method} ${url} ${JSON.stringify([body, response.body])}`).toBeLessThan(300);
  return response.body;
};

beforeAll(async () => {
  for (const name of ADDITIONAL_TYPES) await request('POST', '/api/admin/strategies', { name });
  const segments: number[] = [];
  for (const [index, constraints] of fc
    .sample(randomConstraints, { seed: SEED, numRuns: SEGMENT_COUNT })
    .entries())
    segments.push((await request('POST', '/api/admin/segments', { name: `s${index}`, constraints })).id);
  for (const [index, flag] of fc.sample(randomFlag, { seed: SEED, numRuns: FLAG_COUNT }).entries())
    await makeFlag(index, flag, segments);
}, 300_000);

async function makeFlag(index: number, flag: RandomFlag, segments: number[]): Promise<void> {
  const name = `flag${index}`;
  await makeFeature(harness.db, 'default', { name });
  const environment = `${BASE_PATH}/${name}/environments/development`;
  const strategies = flag.strategies.map(({ type, segments: positions, ...strategy }) => ({
    ...type,
    ...strategy,
    segments: positions.map(position => segments[position]),
  }));
  await request('PUT', `${environment}/strategies`, strategies);
  if (flag.variants.length > 0) {
    const variants = flag.variants.map(variant => ({ ...variant, stickiness: flag.stickiness }));
    await request('PUT', `${environment}/variants`, variants);
  }
  if (flag.parent && index >= PARENT_COUNT) {
    const { at: position, ...parent } = flag.parent;
    const dependency = parent.enabled ? parent : { enabled: false };
    await request('POST', `${BASE_PATH}/${name}/dependencies`, {
      feature: `flag${position % PARENT_COUNT}`,
      ...dependency,
    });
  }
  if (flag.enabled && strategies.some(({ disabled }) => !disabled))
    await request('POST', `${environment}/on`);
}

afterEach(() => {
  vi.restoreAllMocks();
});

test(`the playground and its explanation return the same result as the SDK (SEED=${SEED})`, async () => {
  const sdk = await startSdk(server.url, await server.token('development'), 'polling');
  const differences: unknown[] = [];
  let enabledCount = 0;
  let caseCount = 0;

  for (const [index, context] of fc.sample(randomContext, { seed: SEED, numRuns: CONTEXT_COUNT }).entries()) {
    // The playground and the SDK use the same random number for random stickiness.
    vi.spyOn(Math, 'random').mockReturnValue(((index * 37) % 100) / 100);
    const { features } = await request('POST', '/api/admin/playground', {
      environment: 'development',
      context,
    });
    expect(features).toHaveLength(FLAG_COUNT);
    for (const feature of features) {
      const { name, isEnabled, variant, strategies, ...explanation } = feature;
      const { featureEnabled: _, ...sdkVariant } = sdk.getVariant(name, context);
      const sdkResult = { isEnabled: sdk.isEnabled(name, context), variant: omitUndefined(sdkVariant) };
      const replayedResult = replay({ ...explanation, strategies: strategies.data });
      caseCount += 1;
      enabledCount += Number(isEnabled);
      if (
        JSON.stringify(sortFields({ isEnabled, variant })) !== JSON.stringify(sortFields(sdkResult)) ||
        replayedResult.isEnabled !== isEnabled ||
        replayedResult.variant !== variant.name
      )
        differences.push({ context, sdkResult, replayedResult, feature });
    }
  }
  sdk.destroy();

  expect(differences.slice(0, 3)).toEqual([]);
  expect(caseCount).toBe(FLAG_COUNT * CONTEXT_COUNT);
  // A run in which all flags are disabled would prove nothing.
  expect(enabledCount / caseCount).toBeGreaterThan(0.05);
  expect(enabledCount / caseCount).toBeLessThan(0.95);
}, 300_000);

const omitUndefined = (value: object): object => JSON.parse(JSON.stringify(value));

const sortFields = ({ isEnabled, variant }: { isEnabled: boolean; variant: object }) => [
  isEnabled,
  Object.entries(variant).toSorted(([a], [b]) => (a < b ? -1 : 1)),
];
