import type { FeatureExport } from '../../flags/transfer/schema.ts';
import type { Constraint } from '../../targeting/constraints/schema.ts';
import { ALWAYS, all, getComparisons, not } from './logic.ts';
import {
  type AllOf,
  type Comparison,
  type Flag,
  isSegment,
  type Rule,
  type Serve,
  type Targeting,
  UnsupportedError,
  type Variation,
} from './model.ts';

type Strategy = FeatureExport['featureStrategies'][number];

/** The strategies of a flag in one environment, with notes for the user about them. */
export type Translation = { strategies: Strategy[]; segments: Map<string, Comparison[]>; notes: string[] };

const MAX_STRATEGIES = 30;
const MAX_CONSTRAINTS = 30;
const MAX_SEGMENTS = 5;

/**
 * Translates rules to strategies. In the source, only the first rule that matches applies. In Halyard, any matching strategy enables
 * the flag, and the first one that matches determines the variant. So a rule that enables the flag becomes one strategy for each
 * alternative of its condition, and if a rule disables the flag for some users, the strategies of later rules exclude everyone whom
 * that rule matches.
 */
export function translate(flag: Flag, targeting: Targeting): Translation {
  const { rules, otherwise, off, on } = targeting;
  const notes: string[] = [];
  const strategies: Strategy[] = [];
  const segments = new Map<string, Comparison[]>();
  rejectEnabledOffVariation(flag, off, on, notes);
  let remainingCondition = ALWAYS;
  for (const rule of [...mergeLastShare(rules, otherwise), { title: '', when: ALWAYS, serve: otherwise }]) {
    rejectDisablingShare(flag, rule);
    const { rollout, variants, isExact } = computeOutcome(flag, rule);
    for (const conditions of rollout > 0 ? all(remainingCondition, rule.when) : []) {
      const { constraints, segmentIds } = buildConstraints(conditions, segments);
      strategies.push({
        featureName: flag.key,
        name: 'flexibleRollout',
        title: rule.title || null,
        parameters: { rollout: String(rollout), stickiness: getStickiness(rule.serve), groupId: flag.key },
        constraints,
        variants,
        segments: segmentIds,
      });
      // Checked while strategies are created, because nested alternatives multiply.
      if (strategies.length > MAX_STRATEGIES)
        throw new UnsupportedError(`its rules would require more than ${MAX_STRATEGIES} strategies`);
    }
    if (!isExact) notes.push(`${describeRule(rule)}: the percentages were rounded`);
    if (rollout < 100 && !('share' in rule.serve))
      remainingCondition = all(remainingCondition, not(rule.when));
    if (remainingCondition.length === 0) break;
  }
  return {
    strategies,
    segments,
    notes: [
      ...notes,
      ...noteMissingFields(targeting),
      ...noteStickiness(strategies),
      ...(on ? noteSplits(strategies) : []),
    ],
  };
}

/** Whether the result depends on the hash of the user. */
export const isPartial = (strategies: Strategy[]): boolean =>
  strategies.some(({ parameters, variants }) => parameters?.rollout !== '100' || (variants ?? []).length > 1);

/** Turns a share in the last rule into a split, because users outside the share get the default. */
function mergeLastShare(rules: Rule[], otherwise: Serve): Rule[] {
  const lastRule = rules.at(-1);
  if (lastRule === undefined || !('share' in lastRule.serve) || 'split' in otherwise) return rules;
  const { variation, share, by } = lastRule.serve;
  const serve: Serve =
    variation === otherwise.variation
      ? { variation }
      : {
          split: [
            { variation, weight: share },
            { variation: otherwise.variation, weight: 1 - share },
          ],
          by,
        };
  return [...rules.slice(0, -1), { ...lastRule, serve }];
}

function rejectDisablingShare({ variations }: Flag, { serve }: Rule): void {
  if ('share' in serve && variations[serve.variation]?.enabled === false)
    throw new UnsupportedError('a rule that disables the flag for a percentage of users, before other rules');
}

const describeRule = ({ title }: Rule): string => (title === '' ? 'the default rule' : `rule "${title}"`);

function rejectEnabledOffVariation(
  { variations }: Flag,
  off: number | undefined,
  on: boolean,
  notes: string[],
): void {
  const variation = off === undefined ? undefined : variations[off];
  if (variation?.enabled !== true) return;
  if (variation.payload === undefined) {
    const problem = 'the flag is true while it is off';
    if (!on) throw new UnsupportedError(problem);
    notes.push(`${problem}. In Halyard, a disabled flag is false.`);
  } else
    notes.push(
      `While it is off, it serves "${variation.name}". In Halyard, applications use their own default instead.`,
    );
}

const getStickiness = (serve: Serve): string => ('by' in serve ? serve.by : 'default');

type Outcome = { rollout: number; variants: NonNullable<Strategy['variants']>; isExact: boolean };

function computeOutcome({ variations }: Flag, { serve }: Rule): Outcome {
  const shares =
    'split' in serve
      ? serve.split
      : [{ variation: serve.variation, weight: 'share' in serve ? serve.share : 1 }];
  const enabledShares = shares.flatMap(({ variation, weight }) => {
    const servedVariation = variations[variation];
    if (!servedVariation) throw new UnsupportedError('a rule serves a variation that does not exist');
    return servedVariation.enabled && weight > 0 ? [{ servedVariation, weight }] : [];
  });
  const enabledWeight = enabledShares.reduce((sum, { weight }) => sum + weight, 0);
  const rollout = roundPercentage(enabledWeight * 100);
  const hasValues = enabledShares.some(({ servedVariation }) => servedVariation.payload !== undefined);
  const variants = hasValues ? buildVariants(enabledShares, enabledWeight) : [];
  const isExact =
    isWhole(enabledWeight * 100) &&
    (!hasValues || enabledShares.every(({ weight }) => isWhole((weight / enabledWeight) * 1_000)));
  return { rollout, variants, isExact };
}

/** Rounds a percentage, but never to 0 or to 100, unless it is exactly that. */
const roundPercentage = (percent: number): number =>
  percent > 0 && percent < 1 ? 1 : percent > 99 && !isWhole(percent) ? 99 : Math.round(percent);

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

function buildVariants(
  enabledShares: { servedVariation: Variation; weight: number }[],
  enabledWeight: number,
): Outcome['variants'] {
  const weights = enabledShares.map(({ weight }) =>
    Math.max(1, Math.round((weight / enabledWeight) * 1_000)),
  );
  // Rounding leaves a difference of a thousandth or two, which goes to the largest variant.
  const largestIndex = weights.indexOf(Math.max(...weights));
  weights[largestIndex] =
    (weights[largestIndex] ?? 0) + 1_000 - weights.reduce((sum, weight) => sum + weight, 0);
  return enabledShares.map(({ servedVariation: { name, payload } }, index) => ({
    name,
    weight: weights[index] ?? 0,
    // At least one weight must be variable. The server does not change weights that already add up to 1,000.
    weightType: index === largestIndex ? ('variable' as const) : ('fix' as const),
    ...(payload ? { payload } : {}),
  }));
}

function buildConstraints(
  conditions: AllOf,
  segments: Map<string, Comparison[]>,
): { constraints: Constraint[]; segmentIds: number[] } {
  const names = new Set(conditions.filter(isSegment).map(({ segment }) => segment));
  const comparisons = conditions.filter(condition => !isSegment(condition)) as Comparison[];
  const constraints = comparisons.map(toConstraint);
  if (constraints.length > MAX_CONSTRAINTS)
    throw new UnsupportedError(`a rule would require more than ${MAX_CONSTRAINTS} constraints`);
  if (names.size > MAX_SEGMENTS)
    throw new UnsupportedError(`a rule would require more than ${MAX_SEGMENTS} segments`);
  for (const condition of conditions)
    if (isSegment(condition)) segments.set(condition.segment, condition.comparisons);
  return { constraints, segmentIds: [...names].map(name => [...segments.keys()].indexOf(name) + 1) };
}

const OPERATORS_WITH_LISTS: ReadonlySet<string> = new Set([
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'IN_CIDR',
]);

export function toConstraint({ field, operator, values, negated, caseInsensitive }: Comparison): Constraint {
  const isList = operator === 'IN' || operator === 'NOT_IN';
  const oppositeOperator = operator === 'IN' ? 'NOT_IN' : 'IN';
  return {
    contextName: field,
    operator: isList && negated ? oppositeOperator : operator,
    ...(isList ? {} : { inverted: negated }),
    ...(caseInsensitive ? { caseInsensitive } : {}),
    ...(OPERATORS_WITH_LISTS.has(operator) ? { values } : { value: values[0] ?? '' }),
  };
}

/** Returns notes about conditions whose result differs if the context lacks the field. */
function noteMissingFields({ rules, negationMatchesMissingField = false }: Targeting): string[] {
  const differingComparisons = rules
    .flatMap(({ when }) => when.flat())
    .flatMap(getComparisons)
    .filter(({ negated, operator }) => (negationMatchesMissingField ? operator.startsWith('NUM_') : negated));
  const reason = negationMatchesMissingField
    ? 'the source may compare 0 with the number in the condition, but in Halyard the condition is false'
    : 'a negated condition is true in Halyard, but false in the source';
  return [...new Set(differingComparisons.map(({ field }) => field))]
    .filter(field => field !== 'userId')
    .map(field => `Send "${field}" in every context: without it, ${reason}`);
}

/**
 * Returns notes about fields that assign variations. Users without such a field get the first variation in the source, but do not
 * match the strategy in Halyard.
 */
const noteStickiness = (strategies: Strategy[]): string[] =>
  [...new Set(strategies.map(({ parameters }) => parameters?.stickiness ?? 'default'))]
    .filter(field => field !== 'default' && field !== 'userId')
    .map(
      field => `Send "${field}" in every context: without it, a strategy that splits by it does not match`,
    );

const noteSplits = (strategies: Strategy[]): string[] =>
  isPartial(strategies)
    ? [
        'Halyard hashes users differently, so some users get a different variation after the move; --freeze-partial imports the flag as disabled',
      ]
    : [];
