import { describe, expect, test } from 'vitest';
import { compareRules } from './compare.ts';
import { not } from './logic.ts';
import {
  type AnyOf,
  type Comparison,
  type Flag,
  type Rule,
  type Serve,
  type Targeting,
  UnsupportedError,
} from './model.ts';
import { translate } from './translate.ts';

const is = (field: string, ...values: string[]): Comparison => ({
  field,
  operator: 'IN',
  values,
  negated: false,
});
const [TRUE, FALSE] = [0, 1];
const BOOLEAN: Flag['variations'] = [
  { name: 'true', enabled: true },
  { name: 'false', enabled: false },
];
const COLORS: Flag['variations'] = ['red', 'green', 'blue'].map(name => ({
  name,
  enabled: true,
  payload: { type: 'string', value: name },
}));

const flagWith = (variations: Flag['variations']): Flag => ({
  key: 'checkout',
  description: '',
  tags: [],
  type: 'release',
  variations,
  environments: new Map(),
});
const targeting = (rules: Rule[], otherwise: Serve, fields: Partial<Targeting> = {}): Targeting => ({
  on: true,
  off: undefined,
  parents: [],
  rules,
  otherwise,
  ...fields,
});
const rule = (when: AnyOf, serve: Serve, title = 'rule'): Rule => ({ title, when, serve });

function check(variations: Flag['variations'], sourceTargeting: Targeting) {
  const flag = flagWith(variations);
  const translation = translate(flag, sourceTargeting);
  return { ...translation, ...compareRules(flag, sourceTargeting, translation, 1_000) };
}

describe('boolean flags', () => {
  test('a rule that enables the flag, followed by a default that disables it, becomes one strategy', () => {
    const { strategies, differingContextCount } = check(
      BOOLEAN,
      targeting([rule([[is('country', 'SE')]], { variation: TRUE })], { variation: FALSE }),
    );

    expect(differingContextCount).toBe(0);
    expect(strategies).toEqual([
      {
        featureName: 'checkout',
        name: 'flexibleRollout',
        title: 'rule',
        parameters: { rollout: '100', stickiness: 'default', groupId: 'checkout' },
        constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }],
        variants: [],
        segments: [],
      },
    ]);
  });

  test('users for whom a rule disables the flag are excluded from the strategies of later rules', () => {
    const { strategies, differingContextCount } = check(
      BOOLEAN,
      targeting([rule([[is('country', 'SE'), is('plan', 'free')]], { variation: FALSE })], {
        variation: TRUE,
      }),
    );

    // "Not (Sweden and free)" means "not Sweden, or not free".
    expect(strategies.map(({ constraints }) => constraints)).toEqual([
      [{ contextName: 'country', operator: 'NOT_IN', values: ['SE'] }],
      [{ contextName: 'plan', operator: 'NOT_IN', values: ['free'] }],
    ]);
    expect(differingContextCount).toBe(0);
  });

  test('users whom a percentage rule matches do not continue with later rules', () => {
    const halfSplit: Serve = {
      by: 'default',
      split: [
        { variation: TRUE, weight: 0.5 },
        { variation: FALSE, weight: 0.5 },
      ],
    };
    const { strategies, differingContextCount } = check(
      BOOLEAN,
      targeting([rule([[is('country', 'SE')]], halfSplit)], { variation: TRUE }),
    );

    expect(strategies.map(({ parameters }) => parameters?.rollout)).toEqual(['50', '100']);
    expect(strategies[1]?.constraints).toEqual([
      { contextName: 'country', operator: 'NOT_IN', values: ['SE'] },
    ]);
    expect(differingContextCount).toBe(0);
  });

  test('users outside the share of a rule continue with the next rules', () => {
    const share = (variation: number): Serve => ({ variation, share: 0.2, by: 'userId' });
    const { strategies, differingContextCount, notes } = check(
      BOOLEAN,
      targeting([rule([[]], share(TRUE)), rule([[is('country', 'SE')]], { variation: FALSE })], {
        variation: TRUE,
      }),
    );

    expect(strategies.map(({ parameters, constraints }) => [parameters?.rollout, constraints])).toEqual([
      ['20', []],
      ['100', [{ contextName: 'country', operator: 'NOT_IN', values: ['SE'] }]],
    ]);
    expect(differingContextCount).toBe(0);
    expect(notes).toEqual([expect.stringMatching(/^Halyard hashes users differently/)]);
    const disablingRules = [rule([[]], share(FALSE)), rule([[is('country', 'SE')]], { variation: FALSE })];
    expect(() => translate(flagWith(BOOLEAN), targeting(disablingRules, { variation: TRUE }))).toThrow(
      'a rule that disables the flag for a percentage of users, before other rules',
    );
  });

  test.each([
    [TRUE, FALSE, '20'],
    [FALSE, TRUE, '80'],
    [TRUE, TRUE, '100'],
  ])(
    'users outside the share of the last rule get the default: %j, otherwise %j',
    (variation, otherwise, rollout) => {
      const { strategies, differingContextCount } = check(
        BOOLEAN,
        targeting([rule([[is('country', 'SE')]], { variation, share: 0.2, by: 'userId' })], {
          variation: otherwise,
        }),
      );

      expect(strategies[0]?.parameters?.rollout).toBe(rollout);
      expect(differingContextCount).toBe(0);
    },
  );

  test('a negated condition is true without the field if it is true in the source', () => {
    const isAbroad = { ...is('country', 'SE'), negated: true };
    const abroadTargeting = targeting([rule([[isAbroad]], { variation: TRUE })], { variation: FALSE });

    expect(check(BOOLEAN, { ...abroadTargeting, negationMatchesMissingField: true })).toMatchObject({
      differingContextCount: 0,
      notes: [],
    });
    expect(check(BOOLEAN, abroadTargeting).differingContextCount).toBeGreaterThan(0);
  });

  test('rejects a flag that serves true while it is off, because Halyard cannot express that', () => {
    const disabledTargeting = targeting([], { variation: FALSE }, { on: false, off: TRUE });

    expect(() => translate(flagWith(BOOLEAN), disabledTargeting)).toThrow(UnsupportedError);
  });
});

test('for a flag with values, the first rule that matches determines the variant', () => {
  const { strategies, differingContextCount } = check(
    COLORS,
    targeting(
      [rule([[is('country', 'SE')]], { variation: 0 }), rule([[is('plan', 'free')]], { variation: 1 })],
      { variation: 2 },
    ),
  );

  expect(strategies.map(({ variants = [] }) => variants.map(({ name }) => name))).toEqual([
    ['red'],
    ['green'],
    ['blue'],
  ]);
  expect(differingContextCount).toBe(0);
});

test('rounds weights to thousandths that add up to 1,000, and reports the rounding', () => {
  const makeThird = (variation: number) => ({ variation, weight: 1 / 3 });
  const { strategies, notes } = check(
    COLORS,
    targeting([], { by: 'default', split: [makeThird(0), makeThird(1), makeThird(2)] }),
  );

  expect(strategies[0]?.variants?.map(({ weight }) => weight)).toEqual([334, 333, 333]);
  expect(notes).toContain('the default rule: the percentages were rounded');
});

test('a share of less than 1 percent is not rounded down to 0', () => {
  const split: Serve = {
    by: 'userId',
    split: [
      { variation: TRUE, weight: 0.002 },
      { variation: FALSE, weight: 0.998 },
    ],
  };

  expect(check(BOOLEAN, targeting([], split)).strategies[0]?.parameters?.rollout).toBe('1');
});

test('finds contexts that lack the field of a negated condition, and names the field', () => {
  const notSweden = [[{ ...is('country', 'SE'), negated: true }]];
  const { differingContextCount, example, notes } = check(
    BOOLEAN,
    targeting([rule(notSweden, { variation: TRUE })], { variation: FALSE }),
  );

  expect(differingContextCount).toBeGreaterThan(0);
  expect(example?.properties).toEqual({});
  expect(notes).toEqual([expect.stringContaining('Send "country" in every context')]);
});

test('detects a wrong translation', () => {
  const flag = flagWith(BOOLEAN);
  const sourceTargeting = targeting([rule([[is('country', 'SE')]], { variation: TRUE })], {
    variation: FALSE,
  });
  const wrong = translate(flag, {
    ...sourceTargeting,
    rules: [rule([[is('country', 'NO')]], { variation: TRUE })],
  });

  expect(compareRules(flag, sourceTargeting, wrong, 1_000).differingContextCount).toBeGreaterThan(100);
});

test('rejects rules that exclude each other in too many combinations', () => {
  const wideCondition = (n: number): AnyOf => [
    Array.from({ length: 4 }, (_, index) => is(`f${n}-${index}`, 'x')),
  ];
  const rules = Array.from({ length: 6 }, (_, n) => rule(wideCondition(n), { variation: FALSE }));

  expect(() => translate(flagWith(BOOLEAN), targeting(rules, { variation: TRUE }))).toThrow(UnsupportedError);
});

test('random rules are translated to equivalent strategies', () => {
  let state = 7;
  const pick = (size: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % size;
  };
  for (let run = 0; run < 50; run++) {
    const condition = () => is(`field${pick(3)}`, `v${pick(3)}`);
    const when = (): AnyOf =>
      Array.from({ length: 1 + pick(2) }, () => Array.from({ length: 1 + pick(2) }, condition));
    const rules = Array.from({ length: pick(4) }, (_, index) =>
      rule(pick(4) === 0 ? not(not(when())) : when(), { variation: pick(2) }, `rule ${index}`),
    );
    const sourceTargeting = targeting(rules, { variation: pick(2) });
    try {
      expect({ run, ...check(BOOLEAN, sourceTargeting) }).toMatchObject({ run, differingContextCount: 0 });
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
    }
  }
});
