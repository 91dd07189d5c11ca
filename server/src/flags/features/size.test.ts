import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { useHarness } from '../../test/harness.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';
import { rejectLargeWork } from './size.ts';
import { measureFeatures } from './state/store.ts';

const MEGABYTE = 1024 * 1024;

const harness = useHarness();
const names = Array.from({ length: 9 }, (_, index) => `one-megabyte-${index}`);

beforeAll(async () => {
  const parameters = { note: 'x'.repeat(MEGABYTE) };
  const variant = {
    name: 'large',
    weight: 1000,
    weightType: 'variable' as const,
    payload: { type: 'string' as const, value: 'x'.repeat(MEGABYTE) },
  };
  for (const name of names)
    await insertRichFeature(harness.db, {
      name,
      environments: { development: { strategies: [{ parameters }] } },
    });
  await insertRichFeature(harness.db, {
    name: 'two-megabytes',
    environments: { development: { strategies: [{ parameters }], variants: [variant] } },
  });
});

/** Returns the measured size in whole megabytes. */
const measure = async (features: string[], limitInMegabytes: number) =>
  Math.floor((await measureFeatures(harness.db, SYSTEM, features, limitInMegabytes * MEGABYTE)) / MEGABYTE);

test('adds up the sizes of strategies and variants, and counts a feature each time that it is used', async () => {
  expect(await measure(['two-megabytes', ...names.slice(0, 3), 'missing'], 100)).toBe(5);
  expect(await measure(['two-megabytes', names[0] ?? '', 'two-megabytes'], 100)).toBe(5);
  expect(await measure([], 100)).toBe(0);
});

test('stops measuring once the sum exceeds the limit', async () => {
  expect(await measure(names, 3)).toBe(3);
});

test('allows features of up to 8 MiB together, and rejects more', async () => {
  const reject = (features: string[]) => rejectLargeWork(harness.db, SYSTEM, features, 'Use fewer.');

  await reject(names.slice(0, 7));
  await expect(reject(names.slice(0, 8))).rejects.toMatchObject({
    details: [
      {
        message:
          'The strategies and variants exceed 8 MiB in total, the limit for one request. A feature counts each time that it is used. Use fewer.',
      },
    ],
  });
});
