import { expect, test } from 'vitest';
import { generateContexts } from './contexts.ts';
import { compareFlags, type FlagDocument, type Flags } from './documents.ts';

const flagsOf = (flags: FlagDocument[], segments: { id: number; constraints: never[] }[] = []): Flags => ({
  features: new Map(flags.map(one => [one.name, one])),
  segments: new Map(segments.map(one => [one.id, one])),
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
const whatDiffers = (there: FlagDocument, here: FlagDocument) =>
  compareFlags(flagsOf([there]), flagsOf([here])).map(({ what }) => what);

test.each([
  [{ enabled: false }, ['enabled is true in Unleash and false in Halyard']],
  [{ stale: true }, ['stale is undefined in Unleash and true in Halyard']],
  [{ strategies: [rollout('20'), rollout('10')] }, ['the order of its strategies']],
  [{ strategies: [rollout('10'), rollout('21')] }, ['parameters of strategy 2']],
  [{ strategies: [rollout('10')] }, ['2 strategies in Unleash and 1 in Halyard']],
  [{ variants: [{ name: 'blue', weight: 999 }] }, ['its variants']],
  [{ dependencies: [{ feature: 'parent', enabled: false }] }, ['its dependencies']],
])('names what differs: %j', (changed, expected) => {
  expect(whatDiffers(FLAG, { ...FLAG, ...changed })).toEqual(expected);
});

test('names a constraint on another field, and a flag that one server lacks', () => {
  const with1 = (field: string) => ({
    name: 'a',
    enabled: true,
    strategies: [{ name: 'default', constraints: [constraint(field, ['1'])] }],
  });

  expect(whatDiffers(with1('userId'), with1('sessionId'))).toEqual(['constraints of strategy 1']);
  expect(compareFlags(flagsOf([FLAG]), flagsOf([]))).toEqual([
    { feature: 'checkout', what: 'only Unleash has it' },
  ]);
});

test('compares segments by what they contain, because ids can differ', () => {
  const using = (id: number) =>
    flagsOf(
      [{ name: 'a', enabled: true, strategies: [{ name: 'default', segments: [id] }] }],
      [{ id, constraints: [constraint('userId', ['1'])] as never[] }],
    );

  expect(compareFlags(using(1), using(7))).toEqual([]);
});

test('equivalent forms are equal', () => {
  const there: FlagDocument = {
    ...FLAG,
    strategies: [],
    variants: [{ name: 'blue', weight: 1000, overrides: [] }],
    dependencies: [{ feature: 'parent' }, { feature: 'parent', enabled: true, variants: [] }],
  };
  const here: FlagDocument = { ...FLAG, strategies: [{ name: 'default', parameters: {}, constraints: [] }] };

  expect(whatDiffers(there, here)).toEqual([]);
});

test('generates the same contexts again, with values of the rules and others', () => {
  const flags = flagsOf([
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
