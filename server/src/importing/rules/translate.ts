import type { FeatureExport } from '../../flags/transfer/schema.ts';
import type { Constraint } from '../../targeting/constraints/schema.ts';
import { ALWAYS, all, comparisonsOf, not } from './logic.ts';
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

/** The strategies of a flag in one environment, and what the user should know about them. */
export type Translation = { strategies: Strategy[]; segments: Map<string, Comparison[]>; notes: string[] };

const MAX_STRATEGIES = 30;
const MAX_CONSTRAINTS = 30;
const MAX_SEGMENTS = 5;

/**
 * In the source, the first rule that matches decides. In Halyard, every enabled strategy is an alternative, and the first one
 * that matches gives the variant. So a rule that enables the flag for everyone it matches becomes one strategy. After a rule that
 * disables the flag for some of them, the strategies of later rules exclude everyone it matches.
 */
export function translate(flag: Flag, { rules, otherwise, off, on }: Targeting): Translation {
  const notes: string[] = [];
  const strategies: Strategy[] = [];
  const segments = new Map<string, Comparison[]>();
  rejectOffThatEnables(flag, off, on, notes);
  let others = ALWAYS;
  for (const rule of [...rules, { title: '', when: ALWAYS, serve: otherwise }]) {
    const { rollout, variants, exact } = servedBy(flag, rule);
    for (const conditions of rollout > 0 ? all(others, rule.when) : []) {
      const { constraints, segmentIds } = constraintsOf(conditions, segments);
      strategies.push({
        featureName: flag.key,
        name: 'flexibleRollout',
        title: rule.title || null,
        parameters: { rollout: String(rollout), stickiness: stickinessOf(rule.serve), groupId: flag.key },
        constraints,
        variants,
        segments: segmentIds,
      });
      // Counts alternatives while they are created, because nested alternatives multiply.
      if (strategies.length > MAX_STRATEGIES)
        throw new UnsupportedError(`its rules would take more than ${MAX_STRATEGIES} strategies`);
    }
    if (!exact) notes.push(`${nameOf(rule)}: the percentages were rounded`);
    if (rollout < 100) others = all(others, not(rule.when));
    if (others.length === 0) break;
  }
  return {
    strategies,
    segments,
    notes: [...notes, ...absentFieldNotes(rules), ...stickinessNotes(strategies)],
  };
}

const nameOf = ({ title }: Rule): string => (title === '' ? 'the default rule' : `rule "${title}"`);

function rejectOffThatEnables(
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
    notes.push(`${problem}. Here, a disabled flag is false.`);
  } else
    notes.push(`While it is off, it serves "${variation.name}". Here, programs then use their own default.`);
}

const stickinessOf = (serve: Serve): string => ('split' in serve ? serve.by : 'default');

type Served = { rollout: number; variants: NonNullable<Strategy['variants']>; exact: boolean };

function servedBy({ variations }: Flag, { serve }: Rule): Served {
  const split = 'split' in serve ? serve.split : [{ variation: serve.variation, weight: 1 }];
  const enabled = split.flatMap(({ variation, weight }) => {
    const served = variations[variation];
    if (!served) throw new UnsupportedError('a rule serves a variation that does not exist');
    return served.enabled && weight > 0 ? [{ served, weight }] : [];
  });
  const share = enabled.reduce((sum, { weight }) => sum + weight, 0);
  const rollout = roundUp(share * 100);
  const hasValues = enabled.some(({ served }) => served.payload !== undefined);
  const variants = hasValues ? variantsOf(enabled, share) : [];
  const exact =
    isWhole(share * 100) && (!hasValues || enabled.every(({ weight }) => isWhole((weight / share) * 1_000)));
  return { rollout, variants, exact };
}

/** Less than one percent must not become nobody, and almost everyone must not become everyone. */
const roundUp = (percent: number): number =>
  percent > 0 && percent < 1 ? 1 : percent > 99 && !isWhole(percent) ? 99 : Math.round(percent);

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

function variantsOf(enabled: { served: Variation; weight: number }[], share: number): Served['variants'] {
  const weights = enabled.map(({ weight }) => Math.max(1, Math.round((weight / share) * 1_000)));
  // Rounding leaves a thousandth or two, which go to the largest variant.
  const largest = weights.indexOf(Math.max(...weights));
  weights[largest] = (weights[largest] ?? 0) + 1_000 - weights.reduce((sum, weight) => sum + weight, 0);
  return enabled.map(({ served: { name, payload } }, at) => ({
    name,
    weight: weights[at] ?? 0,
    // At least one weight must be variable, and weights that add up to 1,000 stay as they are.
    weightType: at === largest ? ('variable' as const) : ('fix' as const),
    ...(payload ? { payload } : {}),
  }));
}

function constraintsOf(
  conditions: AllOf,
  segments: Map<string, Comparison[]>,
): { constraints: Constraint[]; segmentIds: number[] } {
  const names = new Set(conditions.filter(isSegment).map(({ segment }) => segment));
  const comparisons = conditions.filter(condition => !isSegment(condition)) as Comparison[];
  const constraints = comparisons.map(constraintOf);
  if (constraints.length > MAX_CONSTRAINTS)
    throw new UnsupportedError(`a rule would take more than ${MAX_CONSTRAINTS} constraints`);
  if (names.size > MAX_SEGMENTS)
    throw new UnsupportedError(`a rule would take more than ${MAX_SEGMENTS} segments`);
  for (const condition of conditions)
    if (isSegment(condition)) segments.set(condition.segment, condition.comparisons);
  return { constraints, segmentIds: [...names].map(name => [...segments.keys()].indexOf(name) + 1) };
}

const COMPARES_VALUES: ReadonlySet<string> = new Set([
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'IN_CIDR',
]);

export function constraintOf({ field, operator, values, negated, caseInsensitive }: Comparison): Constraint {
  const isList = operator === 'IN' || operator === 'NOT_IN';
  const opposite = operator === 'IN' ? 'NOT_IN' : 'IN';
  return {
    contextName: field,
    operator: isList && negated ? opposite : operator,
    ...(isList ? {} : { inverted: negated }),
    ...(caseInsensitive ? { caseInsensitive } : {}),
    ...(COMPARES_VALUES.has(operator) ? { values } : { value: values[0] ?? '' }),
  };
}

/** In the source, a condition on a field that the context lacks is false even if it is negated. In Halyard, a negated one is true. */
function absentFieldNotes(rules: Rule[]): string[] {
  const negated = rules
    .flatMap(({ when }) => when.flat())
    .flatMap(comparisonsOf)
    .filter(one => one.negated);
  return [...new Set(negated.map(({ field }) => field))]
    .filter(field => field !== 'userId')
    .map(
      field =>
        `Send "${field}" in every context: without it, a negated condition is true in Halyard, but false in the source`,
    );
}

/** In the source, users without the field get the first variation. In Halyard, the strategy does not match them. */
const stickinessNotes = (strategies: Strategy[]): string[] =>
  [...new Set(strategies.map(({ parameters }) => parameters?.stickiness ?? 'default'))]
    .filter(field => field !== 'default' && field !== 'userId')
    .map(
      field => `Send "${field}" in every context: without it, a strategy that splits by it does not match`,
    );
