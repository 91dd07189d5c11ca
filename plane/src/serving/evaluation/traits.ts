import type { FeatureInterface } from 'unleash-client/lib/feature.js';
import type { Constraint } from 'unleash-client/lib/strategy/strategy.js';
import type { EvaluationContext } from './context.ts';

/** What results depend on, besides the values in a context. */
export type Traits = {
  /** Whether a rollout is decided by a new random number each time. */
  isRandom: boolean;
  /** Whether a strategy or a constraint reads the session id. */
  usesSession: boolean;
  /** Whether a rollout or a variant reads the user id, or the session id if there is no user id. */
  usesVisitor: boolean;
  /** Fields that select a variant. Without a value, the variant is random. */
  fields: readonly string[];
  /** Times at which results can change, in milliseconds since 1970. */
  dates: readonly number[];
};

type Strategies = NonNullable<FeatureInterface['strategies']>;
type Variants = NonNullable<FeatureInterface['variants']>;

export function featureTraits({ enabled, strategies = [], variants = [] }: FeatureInterface): Traits {
  if (!enabled) return constraintTraits([]);
  return combineTraits([...strategies.map(strategyTraits), variantTraits(variants, variants[0]?.stickiness)]);
}

export function constraintTraits(constraints: readonly Constraint[]): Traits {
  return {
    isRandom: false,
    usesSession: constraints.some(({ contextName }) => contextName === 'sessionId'),
    usesVisitor: false,
    fields: [],
    dates: constraints
      .filter(({ operator }) => operator === 'DATE_AFTER' || operator === 'DATE_BEFORE')
      .map(({ value }) => new Date(String(value)).getTime())
      .filter(time => !Number.isNaN(time)),
  };
}

function strategyTraits({ name, parameters, constraints, variants }: Strategies[number]): Traits {
  // Parameters in documents are strings.
  const stringParameters = (parameters ?? {}) as Record<string, string | undefined>;
  const { rollout, percentage } = stringParameters;
  const stickiness = stringParameters.stickiness || 'default';
  const isPartial = name === 'flexibleRollout' && Number(rollout) > 0 && Number(rollout) < 100;
  const percent = Number(percentage);
  const ownTraits: Traits = {
    isRandom:
      (isPartial && stickiness === 'random') ||
      (name === 'gradualRolloutRandom' && percent > 0 && percent < 100),
    usesSession:
      name === 'gradualRolloutSessionId' || (name === 'flexibleRollout' && stickiness === 'sessionId'),
    usesVisitor: isPartial && stickiness === 'default',
    fields: [],
    dates: [],
  };
  return combineTraits([
    ownTraits,
    constraintTraits(constraints ?? []),
    variantTraits(variants ?? [], variants?.[0]?.stickiness || stickiness),
  ]);
}

function variantTraits(variants: Variants, stickiness = 'default'): Traits {
  const isSplit = variants.filter(({ weight }) => weight > 0).length > 1;
  const overrides = variants.flatMap(variant => variant.overrides ?? []);
  const field = stickiness === '' ? 'default' : stickiness;
  return {
    isRandom: false,
    usesSession:
      (isSplit && field === 'sessionId') || overrides.some(({ contextName }) => contextName === 'sessionId'),
    usesVisitor: isSplit && field === 'default',
    fields: isSplit && field !== 'default' ? [field] : [],
    dates: [],
  };
}

export const combineTraits = (all: readonly Traits[]): Traits => ({
  isRandom: all.some(traits => traits.isRandom),
  usesSession: all.some(traits => traits.usesSession),
  usesVisitor: all.some(traits => traits.usesVisitor),
  fields: [...new Set(all.flatMap(traits => traits.fields))],
  dates: [...new Set(all.flatMap(traits => traits.dates))].sort((a, b) => a - b),
});

/** Whether the same context always gets the same results, as long as no date passes. */
export function isRepeatable(
  { isRandom, usesSession, usesVisitor, fields }: Traits,
  { values, hasSession }: EvaluationContext,
): boolean {
  if (isRandom) return false;
  if (!hasSession && (usesSession || (usesVisitor && !values.userId))) return false;
  return fields.every(field => getFieldText(values, field) !== '');
}

function getFieldText(values: EvaluationContext['values'], field: string): string {
  const fieldValue = (values as Record<string, unknown>)[field] ?? values.properties?.[field] ?? '';
  return String(fieldValue);
}

/**
 * Returns the number of the span between two dates that contains the current time, or 0 for a context with its own time. The
 * exact time of a date is a separate span, because neither DATE_BEFORE nor DATE_AFTER is true at that time.
 */
export function findSpanNumber({ dates }: Traits, { hasTime, values }: EvaluationContext): number {
  if (hasTime || dates.length === 0) return 0;
  const now = values.currentTime.getTime();
  return dates.filter(date => date < now).length + dates.filter(date => date <= now).length;
}
