import fc from 'fast-check';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { SEED, sized } from '../../test/campaign.ts';
import { makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import {
  FURTHER_TYPES,
  type RandomFlag,
  randomConstraints,
  randomContext,
  randomFlag,
} from '../../test/random-flags.ts';
import { replay } from '../../test/replay-explanation.ts';
import { call } from '../../test/request.ts';
import { startSdk } from '../../test/sdk-client.ts';
import { useSdkServer } from '../../test/sdk-server.ts';

const FLAGS = sized({ usual: 30, long: 200 });
const CONTEXTS = sized({ usual: 10, long: 50 });
/** The first flags can be parents of the others. */
const PARENTS = Math.floor(FLAGS / 3);
const SEGMENTS = 4;

const harness = useHarness();
const server = useSdkServer(harness);
const HERE = '/api/admin/projects/default/features';

const request = async (method: 'POST' | 'PUT', url: string, body?: unknown) => {
  const response = await call(harness.app, method, url, { body });
  expect(response.status, `${method} ${url} ${JSON.stringify([body, response.body])}`).toBeLessThan(300);
  return response.body;
};

beforeAll(async () => {
  for (const name of FURTHER_TYPES) await request('POST', '/api/admin/strategies', { name });
  const segments: number[] = [];
  for (const [at, constraints] of fc.sample(randomConstraints, { seed: SEED, numRuns: SEGMENTS }).entries())
    segments.push((await request('POST', '/api/admin/segments', { name: `s${at}`, constraints })).id);
  for (const [at, flag] of fc.sample(randomFlag, { seed: SEED, numRuns: FLAGS }).entries())
    await makeFlag(at, flag, segments);
}, 300_000);

async function makeFlag(at: number, flag: RandomFlag, segments: number[]): Promise<void> {
  const name = `flag${at}`;
  await makeFeature(harness.db, 'default', { name });
  const environment = `${HERE}/${name}/environments/development`;
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
  if (flag.parent && at >= PARENTS) {
    const { at: position, ...parent } = flag.parent;
    const dependency = parent.enabled ? parent : { enabled: false };
    await request('POST', `${HERE}/${name}/dependencies`, {
      feature: `flag${position % PARENTS}`,
      ...dependency,
    });
  }
  if (flag.enabled && strategies.some(({ disabled }) => !disabled))
    await request('POST', `${environment}/on`);
}

afterEach(() => {
  vi.restoreAllMocks();
});

test(`the playground returns the same result as the SDK, and its explanation leads to that result (SEED=${SEED})`, async () => {
  const sdk = await startSdk(server.url, await server.token('development'), 'polling');
  const wrong: unknown[] = [];
  let enabled = 0;
  let cases = 0;

  for (const [at, context] of fc.sample(randomContext, { seed: SEED, numRuns: CONTEXTS }).entries()) {
    // For random flags, both get the same random number.
    vi.spyOn(Math, 'random').mockReturnValue(((at * 37) % 100) / 100);
    const { features } = await request('POST', '/api/admin/playground', {
      environment: 'development',
      context,
    });
    expect(features).toHaveLength(FLAGS);
    for (const feature of features) {
      const { name, isEnabled, variant, strategies, ...explanation } = feature;
      const { featureEnabled: _, ...expected } = sdk.getVariant(name, context);
      const result = { isEnabled: sdk.isEnabled(name, context), variant: withoutAbsent(expected) };
      const replayed = replay({ ...explanation, strategies: strategies.data });
      cases += 1;
      enabled += Number(isEnabled);
      if (
        JSON.stringify(sorted({ isEnabled, variant })) !== JSON.stringify(sorted(result)) ||
        replayed.isEnabled !== isEnabled ||
        replayed.variant !== variant.name
      )
        wrong.push({ context, result, replayed, feature });
    }
  }
  sdk.destroy();

  expect(wrong.slice(0, 3)).toEqual([]);
  expect(cases).toBe(FLAGS * CONTEXTS);
  // Flags that are all disabled would prove nothing.
  expect(enabled / cases).toBeGreaterThan(0.05);
  expect(enabled / cases).toBeLessThan(0.95);
}, 300_000);

const withoutAbsent = (value: object): object => JSON.parse(JSON.stringify(value));

const sorted = ({ isEnabled, variant }: { isEnabled: boolean; variant: object }) => [
  isEnabled,
  Object.entries(variant).toSorted(([a], [b]) => (a < b ? -1 : 1)),
];
