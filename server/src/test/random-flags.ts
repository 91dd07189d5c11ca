import fc from 'fast-check';
import type { Context } from 'unleash-client';

const GRADUAL_TYPES = ['gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom'];
const CUSTOM_TYPE = 'playground-custom';
/** Strategy types that a new instance does not have. */
export const ADDITIONAL_TYPES = ['userWithId', ...GRADUAL_TYPES, CUSTOM_TYPE];

const operators = {
  strings: ['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'],
  numbers: ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'],
  versions: ['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'],
  dates: ['DATE_AFTER', 'DATE_BEFORE'],
};
const STRINGS = ['7', '11', 'NO', 'no', 'Ærøskøbing', 'a@example.com', ' 7 ', 'beta tester'];
const NUMBERS = ['0', '7', '-2.5', '1e3', '18'];
const VERSIONS = ['1.2.3', '1.2.3-beta.1', '2.0.0', '1.2.3+build.5', '0.0.1'];
const DATES = ['2020-01-01T00:00:00Z', '2026-11-15T09:30:00.000Z', '2040-06-01T12:00:00+02:00'];
const PATTERNS = ['^7$', 'example\\.com$', '(?i)no', '^[a-z ]+$', '\\d{2,}', 'ø'];
const RANGES = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1', '10.0.0.7/32'];
const FIELDS = [
  'userId',
  'sessionId',
  'remoteAddress',
  'appName',
  'environment',
  'country',
  'version',
  'age',
];
/** Context values: everything that constraints compare with, and values that they cannot parse. */
const VALUES = [
  ...STRINGS,
  ...NUMBERS,
  ...VERSIONS,
  ...DATES,
  '',
  'v1.2.3',
  '1.2',
  '10.1.2.3',
  '10.0.0.0/8',
  '2001:db8::7',
  '::ffff:10.0.0.7',
  '::1',
  '0x10',
  'Infinity',
  'disabled',
];

const pickOne = <T>(values: readonly T[]) => fc.constantFrom(...values);
/** Leaves a list empty most of the time, because a flag with many conditions is hardly ever enabled. */
const usuallyEmpty = <T>(arbitrary: fc.Arbitrary<T[]>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary });
const pickSome = (values: readonly string[]) =>
  fc.uniqueArray(pickOne(values), { minLength: 1, maxLength: 3 });
const baseConstraint = { inverted: fc.boolean(), contextName: pickOne(FIELDS) };

const constraint = fc.oneof(
  fc.record({
    ...baseConstraint,
    operator: pickOne(operators.strings),
    values: pickSome(STRINGS),
    caseInsensitive: fc.boolean(),
  }),
  fc.record({ ...baseConstraint, operator: pickOne(operators.numbers), value: pickOne(NUMBERS) }),
  fc.record({ ...baseConstraint, operator: pickOne(operators.versions), value: pickOne(VERSIONS) }),
  fc.record({ ...baseConstraint, operator: pickOne(operators.dates), value: pickOne(DATES) }),
  fc.record({
    ...baseConstraint,
    operator: fc.constant('REGEX'),
    value: pickOne(PATTERNS),
    caseInsensitive: fc.boolean(),
  }),
  fc.record({ ...baseConstraint, operator: fc.constant('IN_CIDR'), values: pickSome(RANGES) }),
);
export const randomConstraints = fc.array(constraint, { minLength: 1, maxLength: 2 });

const percentage = pickOne([0, 1, 10, 33, 50, 66, 90, 99, 100]).map(String);
const groupId = pickOne(['', 'group', 'another group']);
const stickiness = pickOne(['default', 'userId', 'sessionId', 'random', 'country']);
const commonStrategyType = fc.oneof(
  fc.constant({ name: 'default', parameters: {} }),
  fc
    .record({ rollout: percentage, stickiness, groupId })
    .map(parameters => ({ name: 'flexibleRollout', parameters })),
);
const rareStrategyType = fc.oneof(
  fc
    .record({ userIds: pickOne(['7', '1, 7 ,9', '', '11']) })
    .map(parameters => ({ name: 'userWithId', parameters })),
  fc
    .record({ IPs: pickOne(['10.0.0.0/8', '10.1.2.3, ::1', 'nonsense', '']) })
    .map(parameters => ({ name: 'remoteAddress', parameters })),
  fc.record({ percentage, groupId }).chain(parameters =>
    pickOne(GRADUAL_TYPES).map(name => ({
      name,
      parameters,
    })),
  ),
  fc.constant({ name: 'applicationHostname', parameters: { hostNames: 'a-host-that-does-not-exist' } }),
  fc.constant({ name: CUSTOM_TYPE, parameters: {} }),
);
const type = fc.oneof(
  { weight: 3, arbitrary: commonStrategyType },
  { weight: 2, arbitrary: rareStrategyType },
);

const payload = fc.option(fc.record({ type: fc.constant('string'), value: pickOne(['x', '{"a":1}']) }), {
  nil: undefined,
});
const variants = (otherFields: object) =>
  fc
    .uniqueArray(pickOne(['blue', 'red', 'green', 'disabled']), { maxLength: 3 })
    .chain(names =>
      fc.tuple(...names.map(name => fc.record({ name: fc.constant(name), payload, ...otherFields }))),
    )
    .map(list => list.map(variant => ({ ...variant, weight: 1, weightType: 'variable' as const })));

/** A strategy, with segments given as positions in a list instead of ids. */
const strategy = fc.record({
  type,
  constraints: usuallyEmpty(randomConstraints),
  segments: usuallyEmpty(fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 2 })),
  variants: variants({}),
  disabled: fc.integer({ min: 0, max: 4 }).map(digit => digit === 0),
});

const overrides = fc.array(fc.record({ contextName: pickOne(FIELDS), values: pickSome(STRINGS) }), {
  maxLength: 1,
});

export const randomFlag = fc.record({
  enabled: fc.integer({ min: 0, max: 9 }).map(digit => digit > 0),
  strategies: fc.array(strategy, { minLength: 1, maxLength: 3 }),
  stickiness,
  variants: variants({ overrides }),
  /** The position of the parent and its required state, for flags that are not parents themselves. */
  parent: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        at: fc.nat(),
        enabled: fc.boolean(),
        variants: fc.option(pickSome(['blue', 'red', 'disabled']), { nil: undefined }),
      }),
    },
  ),
});
export type RandomFlag = typeof randomFlag extends fc.Arbitrary<infer T> ? T : never;

const value = fc.option(pickOne(VALUES), { nil: undefined });
export const randomContext = fc
  .record({
    appName: pickOne(STRINGS),
    environment: pickOne(['development', 'no']),
    userId: fc.option(pickOne(['7', '11', '3', '', 'a@example.com']), { nil: undefined, freq: 6 }),
    sessionId: value,
    remoteAddress: value,
    currentTime: fc.option(pickOne(DATES), { nil: undefined }),
    country: value,
    properties: fc.record({
      country: value,
      version: value,
      age: fc.oneof(value, fc.integer(), fc.boolean()),
    }),
  })
  .map(context => JSON.parse(JSON.stringify(context)) as Context);
