import { expect, test } from 'vitest';
import { computeEffects, countProductionFlags } from './effect.ts';

const ENVIRONMENTS = [
  { name: 'development', type: 'development' },
  { name: 'staging', type: 'preproduction' },
  { name: 'production', type: 'production' },
];
const makeUse = (featureName: string, environment: string) => ({
  id: `${featureName} ${environment} ${Math.random()}`,
  featureName,
  projectId: 'payments',
  environment,
  strategyName: 'flexibleRollout',
});
const flag = (name: string, enabled: Record<string, boolean>) => ({
  name,
  environments: Object.entries(enabled).map(([environment, isEnabled]) => ({
    name: environment,
    type: environment,
    sortOrder: 1,
    enabled: isEnabled,
    variantCount: 0,
    hasStrategies: true,
    hasEnabledStrategies: true,
    yes: 0,
    no: 0,
  })),
});

test('counts a flag once per environment, no matter how many of its strategies use the segment', () => {
  const uses = [
    makeUse('checkout', 'production'),
    makeUse('checkout', 'production'),
    makeUse('sepa', 'staging'),
  ];

  const effects = computeEffects(uses, ENVIRONMENTS, undefined);

  expect(effects.map(({ environment, affected }) => [environment, affected.length])).toEqual([
    ['staging', 1],
    ['production', 1],
  ]);
});

test('lists disabled flags separately, because they reach nobody', () => {
  const uses = [makeUse('checkout', 'production'), makeUse('sepa', 'production')];
  const flags = [flag('checkout', { production: true }), flag('sepa', { production: false })];

  const effects = computeEffects(uses, ENVIRONMENTS, flags);

  expect(effects).toEqual([
    {
      environment: 'production',
      type: 'production',
      affected: [{ name: 'checkout', project: 'payments' }],
      disabled: ['sepa'],
    },
  ]);
  expect(countProductionFlags(effects)).toBe(1);
});

test('counts the flags of all environments of type production', () => {
  const environments = [...ENVIRONMENTS, { name: 'eu', type: 'production' }];
  const uses = [
    makeUse('checkout', 'production'),
    makeUse('checkout', 'eu'),
    makeUse('sepa', 'eu'),
    makeUse('new', 'staging'),
  ];

  expect(countProductionFlags(computeEffects(uses, environments, undefined))).toBe(2);
});
