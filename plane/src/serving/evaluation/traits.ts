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

export function traitsOfFeature({ enabled, strategies = [], variants = [] }: FeatureInterface): Traits {
  if (!enabled) return traitsOfConstraints([]);
  return combine([...strategies.map(traitsOfStrategy), traitsOfVariants(variants, variants[0]?.stickiness)]);
}

export function traitsOfConstraints(constraints: readonly Constraint[]): Traits {
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

function traitsOfStrategy({ name, parameters, constraints, variants }: Strategies[number]): Traits {
  // Parameters in documents are strings.
  const texts = (parameters ?? {}) as Record<string, string | undefined>;
  const { rollout, percentage } = texts;
  const stickiness = texts.stickiness || 'default';
  const isPartial = name === 'flexibleRollout' && Number(rollout) > 0 && Number(rollout) < 100;
  const percent = Number(percentage);
  const own: Traits = {
    isRandom:
      (isPartial && stickiness === 'random') ||
      (name === 'gradualRolloutRandom' && percent > 0 && percent < 100),
    usesSession:
      name === 'gradualRolloutSessionId' || (name === 'flexibleRollout' && stickiness === 'sessionId'),
    usesVisitor: isPartial && stickiness === 'default',
    fields: [],
    dates: [],
  };
  return combine([
    own,
    traitsOfConstraints(constraints ?? []),
    traitsOfVariants(variants ?? [], variants?.[0]?.stickiness || stickiness),
  ]);
}

function traitsOfVariants(variants: Variants, stickiness = 'default'): Traits {
  const isDrawn = variants.filter(({ weight }) => weight > 0).length > 1;
  const overrides = variants.flatMap(variant => variant.overrides ?? []);
  const field = stickiness === '' ? 'default' : stickiness;
  return {
    isRandom: false,
    usesSession:
      (isDrawn && field === 'sessionId') || overrides.some(({ contextName }) => contextName === 'sessionId'),
    usesVisitor: isDrawn && field === 'default',
    fields: isDrawn && field !== 'default' ? [field] : [],
    dates: [],
  };
}

export const combine = (all: readonly Traits[]): Traits => ({
  isRandom: all.some(one => one.isRandom),
  usesSession: all.some(one => one.usesSession),
  usesVisitor: all.some(one => one.usesVisitor),
  fields: [...new Set(all.flatMap(one => one.fields))],
  dates: [...new Set(all.flatMap(one => one.dates))].sort((a, b) => a - b),
});

/** Whether the same context gets the same results again, as long as no date passes. */
export function isRepeatable(
  { isRandom, usesSession, usesVisitor, fields }: Traits,
  { values, hasSession }: EvaluationContext,
): boolean {
  if (isRandom) return false;
  if (!hasSession && (usesSession || (usesVisitor && !values.userId))) return false;
  return fields.every(field => textOf(values, field) !== '');
}

function textOf(values: EvaluationContext['values'], field: string): string {
  const known = (values as Record<string, unknown>)[field] ?? values.properties?.[field] ?? '';
  return String(known);
}

/**
 * Numbers the spans between the dates. The time of a date itself is a separate span, because neither DATE_BEFORE nor DATE_AFTER
 * holds then. 0 for a context with its own time.
 */
export function spanOf({ dates }: Traits, { hasTime, values }: EvaluationContext): number {
  if (hasTime || dates.length === 0) return 0;
  const now = values.currentTime.getTime();
  return dates.filter(date => date < now).length + dates.filter(date => date <= now).length;
}
