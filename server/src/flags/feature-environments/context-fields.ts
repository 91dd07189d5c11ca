import type { FeatureEnvironment, StrategyContent } from './schema.ts';

type Content = { strategies: StrategyContent[]; variants: FeatureEnvironment['variants'] };

/** Returns every context field that a constraint, a stickiness or an override refers to. */
export function contextFieldsIn(environments: Content[]): string[] {
  const strategies = environments.flatMap(environment => environment.strategies);
  const variants = environments.flatMap(environment => environment.variants);
  const names = [
    ...strategies.flatMap(strategy => strategy.constraints.map(({ contextName }) => contextName)),
    ...strategies.map(strategy => strategy.parameters.stickiness),
    ...[...variants, ...strategies.flatMap(strategy => strategy.variants)].map(
      ({ stickiness }) => stickiness,
    ),
    ...variants.flatMap(({ overrides = [] }) => overrides.map(({ contextName }) => contextName)),
  ];
  return [...new Set(names)].filter(name => name !== undefined);
}
