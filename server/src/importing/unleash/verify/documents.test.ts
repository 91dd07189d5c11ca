import { expect, test } from 'vitest';
import { generateContexts } from './contexts.ts';
import { compareFlags, type FlagDocument, type Flags } from './documents.ts';

const toFlags = (flags: FlagDocument[], segments: { id: number; constraints: never[] }[] = []): Flags => ({
  features: new Map(flags.map(flag => [flag.name, flag])),
  segments: new Map(segments.map(segment => [segment.id, segment])),
});

const rollout = (value: string) => ({ name: 'flexibleRollout', parameters: { rollout: value } });
const constraint = (contextName: string, values: string[]) => ({ contextName, operator: 'IN', values });
const FLAG: FlagDocument = {
  name: 'checkout',
  enabled: true,
  strategies: [rollout('10'), rollout('20')],
  variants: [{ name: 'blue', weight: 1000 }],
  dependencies: [{ feature: 'parent' }],
};
const findDifferences = (unleashFlag: FlagDocument, halyardFlag: FlagDocument) =>
  compareFlags(toFlags([unleashFlag]), toFlags([halyardFlag])).map(({ description }) => description);

test.each([
  [{ enabled: false }, ['enabled is true in Unleash and false in Halyard']],
  [{ stale: true }, ['stale is undefined in Unleash and true in Halyard']],
  [{ strategies: [rollout('20'), rollout('10')] }, ['the order of its strategies']],
  [{ strategies: [rollout('10'), rollout('21')] }, ['parameters of strategy 2']],
  [{ strategies: [rollout('10')] }, ['2 strategies in Unleash and 1 in Halyard']],
  [{ variants: [{ name: 'blue', weight: 999 }] }, ['its variants']],
  [{ dependencies: [{ feature: 'parent', enabled: false }] }, ['its dependencies']],
])('describes the difference: %j', (changedFields, expectedDifferences) => {
  expect(findDifferences(FLAG, { ...FLAG, ...changedFields })).toEqual(expectedDifferences);
});

test('reports a constraint on a different field, and a flag that only one server has', () => {
  const withConstraintOn = (field: string) => ({
    name: 'a',
    enabled: true,
    strategies: [{ name: 'default', constraints: [constraint(field, ['1'])] }],
  });

  expect(findDifferences(withConstraintOn('userId'), withConstraintOn('sessionId'))).toEqual([
    'constraints of strategy 1',
  ]);
  expect(compareFlags(toFlags([FLAG]), toFlags([]))).toEqual([
    { feature: 'checkout', description: 'missing in Halyard' },
  ]);
});

test('compares segments by content, because ids can differ', () => {
  const flagsUsingSegment = (id: number) =>
    toFlags(
      [{ name: 'a', enabled: true, strategies: [{ name: 'default', segments: [id] }] }],
      [{ id, constraints: [constraint('userId', ['1'])] as never[] }],
    );

  expect(compareFlags(flagsUsingSegment(1), flagsUsingSegment(7))).toEqual([]);
});

test('treats equivalent documents as equal', () => {
  const inUnleash: FlagDocument = {
    ...FLAG,
    strategies: [],
    variants: [{ name: 'blue', weight: 1000, overrides: [] }],
    dependencies: [{ feature: 'parent' }, { feature: 'parent', enabled: true, variants: [] }],
  };
  const inHalyard: FlagDocument = {
    ...FLAG,
    strategies: [{ name: 'default', parameters: {}, constraints: [] }],
  };

  expect(findDifferences(inUnleash, inHalyard)).toEqual([]);
});

test('generates the same contexts every time, with values from the rules and values that match no rule', () => {
  const flags = toFlags([
    {
      name: 'a',
      enabled: true,
      strategies: [{ name: 'default', constraints: [constraint('country', ['SE'])] }],
    },
  ]);

  const contexts = generateContexts(flags, 'production', 1_000);

  expect(generateContexts(flags, 'production', 1_000)).toEqual(contexts);
  const countries = new Set(contexts.map(({ properties }) => properties.country));
  expect(countries.has('SE')).toBe(true);
  expect(countries.has(undefined)).toBe(true);
  expect(countries.size).toBeGreaterThan(5);
});
