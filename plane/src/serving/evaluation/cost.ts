import type { FeatureInterface } from 'unleash-client/lib/feature.js';
import type { Constraint } from 'unleash-client/lib/strategy/strategy.js';
import { expandedLength } from '../../platform/pattern.ts';
import type { EvaluationContext } from './context.ts';

/**
 * An upper bound for the CPU time of a flag's constraints and lists. A flag is evaluated without a pause, so everything else
 * waits for this long.
 */
export type Cost = {
  /** Microseconds that every context takes. */
  us: number;
  /** Patterns, by the field that they read. Matching takes time proportional to the length of the field's value. */
  patterns: readonly { field: string; size: number }[];
};

/** A flag whose evaluation would take longer is disabled for the context. */
export const MAX_EVALUATION_US = 100_000;

/** Measured with the slowest patterns and lists that we found. */
const US_PER_PATTERN_CHARACTER = 0.1;
const US_PER_ADDRESS_CHARACTER = 0.5;
const US_PER_RANGE = 10;

export const featureCost = ({ strategies = [] }: FeatureInterface): Cost =>
  addCosts(
    strategies.map(({ name, parameters, constraints = [] }) =>
      addCosts([{ us: addressCost(name, parameters), patterns: [] }, constraintCost(constraints)]),
    ),
  );

export const constraintCost = (constraints: readonly Constraint[]): Cost => ({
  us:
    US_PER_RANGE *
    constraints.reduce(
      (sum, { operator, values = [] }) => sum + (operator === 'IN_CIDR' ? values.length : 0),
      0,
    ),
  patterns: constraints
    .filter(({ operator }) => operator === 'REGEX')
    .map(({ contextName, value }) => ({ field: contextName, size: expandedLength(String(value)) })),
});

export const addCosts = (costs: readonly Cost[]): Cost => ({
  us: costs.reduce((sum, cost) => sum + cost.us, 0),
  patterns: costs.flatMap(cost => cost.patterns),
});

export const isTooCostly = ({ us, patterns }: Cost, { values }: EvaluationContext): boolean =>
  patterns.reduce(
    (sum, { field, size }) => sum + US_PER_PATTERN_CHARACTER * size * getFieldLength(values, field),
    us,
  ) > MAX_EVALUATION_US;

function getFieldLength(values: EvaluationContext['values'], field: string): number {
  const value = (values as Record<string, unknown>)[field] ?? values.properties[field];
  return typeof value === 'string' ? value.length : 0;
}

function addressCost(name: string, parameters: unknown): number {
  if (name !== 'remoteAddress') return 0;
  return US_PER_ADDRESS_CHARACTER * ((parameters as { IPs?: string } | undefined)?.IPs ?? '').length;
}
