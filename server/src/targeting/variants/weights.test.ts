import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributeWeights, type WeightedVariant } from './weights.ts';

const fix = (name: string, weight: number): WeightedVariant => ({ name, weight, weightType: 'fix' });
const variable = (name: string, weight = 0): WeightedVariant => ({ name, weight, weightType: 'variable' });

const listWeights = (variants: WeightedVariant[]) =>
  distributeWeights(variants, '/body').variants?.map(({ weight }) => weight);
const listPaths = (variants: WeightedVariant[]) =>
  distributeWeights(variants, '/body').violations?.map(({ path }) => path);

test.each([
  ['one variable variant gets the total weight', [variable('a')], [1_000]],
  [
    'three variable variants share the weight and the first gets the remainder',
    [variable('a'), variable('b'), variable('c')],
    [334, 333, 333],
  ],
  [
    'a remainder of two goes to the first two variable variants',
    [variable('a', 1_000), fix('b', 1), variable('c'), variable('d', 7), variable('e')],
    [250, 1, 250, 250, 249],
  ],
  [
    'a variable variant gets 0 when fixed variants take the total weight',
    [fix('a', 1_000), variable('b', 5)],
    [1_000, 0],
  ],
  ['fixed weights that add up to the total are kept', [fix('a', 400), fix('b', 600)], [400, 600]],
  ['a variant without a weightType is variable', [{ name: 'a', weight: 3 }, fix('b', 100)], [900, 100]],
  ['an empty list stays empty', [], []],
])('%s', (_case, variants, weights) => {
  expect(listWeights(variants)).toEqual(weights);
});

test.each([
  ['fixed weights above 1000', [fix('a', 600), fix('b', 401)], ['/body']],
  ['fixed weights below 1000 without a variable variant', [fix('a', 999)], ['/body']],
  ['a duplicate name', [variable('a'), variable('b'), variable('a')], ['/body/2/name']],
  [
    'names that are not URL-safe',
    [variable('a b'), variable('..'), variable('')],
    ['/body/0/name', '/body/1/name', '/body/2/name'],
  ],
  [
    'payloads that do not match their type',
    [
      { ...variable('a'), payload: { type: 'json' as const, value: '{a:1}' } },
      { ...variable('b'), payload: { type: 'number' as const, value: 'one' } },
      { ...variable('c'), payload: { type: 'csv' as const, value: '{' } },
      { ...variable('d'), payload: { type: 'json' as const, value: '{"a":1}' } },
      { ...variable('e'), payload: { type: 'number' as const, value: '-1.5' } },
    ],
    ['/body/0/payload/value', '/body/1/payload/value'],
  ],
  ['several violations', [fix('a', 1), fix('a', 2)], ['/body/1/name', '/body']],
])('rejects %s', (_case, variants, paths) => {
  expect(listPaths(variants)).toEqual(paths);
});

/** Valid lists have unique names, at least one variable variant, and fixed weights of at most 1000. */
const lists = fc
  .array(fc.record({ fixed: fc.boolean(), weight: fc.integer({ min: 0, max: 1_000 }) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map(generated => {
    let remaining = 1_000;
    return generated.map(({ fixed, weight }, index) => {
      if (!fixed || index === 0) return variable(`v${index}`, weight);
      const cappedWeight = Math.min(weight, remaining);
      remaining -= cappedWeight;
      return fix(`v${index}`, cappedWeight);
    });
  });

test('weights add up to 1000, keeping fixed weights and distributing the rest evenly in descending order', () => {
  fc.assert(
    fc.property(lists, variants => {
      const distributed = distributeWeights(variants, '').variants ?? [];
      const shares = distributed
        .filter(({ weightType }) => weightType === 'variable')
        .map(({ weight }) => weight);

      expect(distributed.reduce((sum, { weight }) => sum + weight, 0)).toBe(1_000);
      expect(distributed.filter(({ weightType }) => weightType === 'fix')).toEqual(
        variants.filter(({ weightType }) => weightType === 'fix'),
      );
      expect(distributed.map(({ name }) => name)).toEqual(variants.map(({ name }) => name));
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      expect((shares.at(0) ?? 0) - (shares.at(-1) ?? 0)).toBeLessThanOrEqual(1);
    }),
  );
});

test('distributing weights is deterministic and idempotent', () => {
  fc.assert(
    fc.property(lists, variants => {
      const original = structuredClone(variants);
      const distributed = distributeWeights(variants, '').variants ?? [];

      expect(distributeWeights(variants, '').variants).toEqual(distributed);
      expect(distributeWeights(distributed, '').variants).toEqual(distributed);
      expect(variants).toEqual(original);
    }),
  );
});

test('any list is either rejected or adds up to 1000', () => {
  const anyList = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', ' '),
      weight: fc.integer({ min: 0, max: 1_000 }),
      weightType: fc.constantFrom('fix' as const, 'variable' as const),
    }),
    { minLength: 1, maxLength: 5 },
  );

  fc.assert(
    fc.property(anyList, variants => {
      const { variants: distributed, violations } = distributeWeights(variants, '');
      if (distributed) expect(distributed.reduce((sum, { weight }) => sum + weight, 0)).toBe(1_000);
      else expect(violations.length).toBeGreaterThan(0);
    }),
  );
});
