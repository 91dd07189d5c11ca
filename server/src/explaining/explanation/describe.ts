import { joinWithOr, quoteSome } from '@halyard/plane/platform/errors.ts';
import type { BucketSource } from './buckets.ts';
import { type CheckedConstraint, isDateOperator } from './constraints.ts';
import type { CheckedDependency } from './dependencies.ts';
import type { Evaluation } from './evaluate.ts';
import type { Rule } from './rules.ts';
import type { CheckedStrategy } from './strategies.ts';
import type { VariantSelection } from './variants.ts';

const MAX_CHARACTERS = 60;

/** Shortens and quotes a value, because context values can be long. */
const quote = (value: string): string =>
  `"${value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value}"`;

/** The names by which sentences refer to a strategy. */
export type StrategyLabel = { name: string; title?: string };

/** Explains the result in sentences: what decided it, then every unmet requirement, then the variant. */
export function describeEvaluation(
  evaluation: Evaluation,
  environment: string,
  labels: readonly StrategyLabel[],
): string[] {
  const { reason, dependencies, strategies, matched, variantSelection } = evaluation;
  const variant = variantSelection ? [describeVariant(variantSelection)] : [];
  const describeAt = (index: number) => describeStrategy(index, labels[index], strategies[index]);
  switch (reason) {
    case 'flag-disabled':
      return [`The flag is disabled in environment "${environment}".`];
    case 'parent': {
      const unmetDependencies = dependencies.filter(({ result }) => !result);
      const names = quoteSome(unmetDependencies.map(({ feature }) => feature));
      return [
        `The flag is disabled because ${unmetDependencies.length === 1 ? `parent ${names} does` : `parents ${names} do`} not meet the requirement.`,
        ...unmetDependencies.map(dependency => describeDependency(dependency, environment)),
      ];
    }
    case 'no-strategies':
      return ['The flag is enabled for everyone, because it has no strategies.', ...variant];
    case 'strategy-matches':
      return [`The flag is enabled. ${describeAt(matched ?? 0)}`, ...variant];
    case 'no-strategy-matches':
      return [
        'The flag is disabled because no strategy matches.',
        ...strategies.map((_, index) => describeAt(index)),
      ];
  }
}

/** Explains why a strategy matches, or everything that keeps it from matching. */
export function describeStrategy(
  strategyIndex: number,
  label: StrategyLabel | undefined,
  strategy: CheckedStrategy | undefined,
): string {
  if (!strategy) return '';
  const { result, rule } = strategy;
  const strategyLabel = `Strategy ${strategyIndex + 1} (${label?.title ? `"${label.title}"` : label?.name})`;
  if (result === true) return `${strategyLabel} matches: ${describeRule(rule)}`;
  const reasons = [
    ...strategy.constraints.flatMap((constraint, index) =>
      describeFailure(constraint, `constraint ${index + 1}`),
    ),
    ...strategy.segments.flatMap(segment =>
      segment.missing
        ? [`segment ${segment.id} does not exist.`]
        : segment.constraints.flatMap((constraint, index) =>
            describeFailure(constraint, `constraint ${index + 1} of segment "${segment.name}"`),
          ),
    ),
    ...(rule.satisfied === true ? [] : [describeRule(rule)]),
  ];
  const verb = result === null ? 'cannot be evaluated here' : 'does not match';
  return `${strategyLabel} ${verb}: ${reasons.map((reason, index) => (index === 0 ? reason : capitalize(reason))).join(' ')}`;
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const describeFailure = (constraint: CheckedConstraint, constraintName: string): string[] =>
  constraint.result ? [] : [`${constraintName} ${describeConstraint(constraint)}`];

/** Describes a constraint, for example: on "country" requires one of "NO", "SE". The context has "DE". */
export function describeConstraint(constraint: CheckedConstraint): string {
  const { contextName, operator, inverted, actual } = constraint;
  const field = isDateOperator(operator) ? 'on the time' : `on "${contextName}"`;
  const requirement = describeOperator(constraint);
  if (requirement === undefined) return `has the unknown operator ${operator}.`;
  const actualText = isDateOperator(operator)
    ? `The time is ${actual}.`
    : actual === null
      ? `The context has no "${contextName}".`
      : `The context has ${quote(actual)}.`;
  return `${field} ${inverted ? 'excludes' : 'requires'} ${requirement}. ${actualText}`;
}

const COMPARISONS: Record<string, string> = {
  EQ: 'equal to',
  GT: 'greater than',
  GTE: 'greater than or equal to',
  LT: 'less than',
  LTE: 'less than or equal to',
};

function describeOperator({
  operator,
  values = [],
  value = '',
  caseInsensitive,
}: CheckedConstraint): string | undefined {
  const list = quoteSome(values);
  const caseNote = caseInsensitive ? ', ignoring case' : '';
  switch (operator) {
    case 'IN':
      return `one of ${list}`;
    case 'NOT_IN':
      return `a value other than ${list}`;
    case 'STR_STARTS_WITH':
      return `a string that starts with one of ${list}${caseNote}`;
    case 'STR_ENDS_WITH':
      return `a string that ends with one of ${list}${caseNote}`;
    case 'STR_CONTAINS':
      return `a string that contains one of ${list}${caseNote}`;
    case 'IN_CIDR':
      return `an IP address in one of ${list}`;
    case 'REGEX':
      return `a string that matches the pattern ${quote(value)}${caseNote}`;
    case 'DATE_AFTER':
      return `a time after ${value}`;
    case 'DATE_BEFORE':
      return `a time before ${value}`;
  }
  const [kind, comparison = ''] = operator.split('_');
  const comparisonText = COMPARISONS[comparison];
  if (comparisonText === undefined) return undefined;
  if (kind === 'NUM') return `a number ${comparisonText} ${value}`;
  return kind === 'SEMVER' ? `a version ${comparisonText} ${value}` : undefined;
}

function describeRule(rule: Rule): string {
  switch (rule.kind) {
    case 'everyone':
      return 'it includes everyone.';
    case 'rollout':
      return describeRollout(rule);
    case 'list': {
      const { contextName, actual, list, satisfied } = rule;
      if (actual === null) return `the context has no "${contextName}".`;
      return satisfied
        ? `its list contains ${contextName} ${quote(actual)}.`
        : `its list (${quoteSome(list)}) does not contain ${contextName} ${quote(actual)}.`;
    }
    case 'hosts':
      return 'it depends on the host of the application.';
    case 'custom':
      return 'only an application that implements this strategy type knows its result.';
  }
}

function describeRollout({
  bucket,
  threshold,
  satisfied,
  ...source
}: Extract<Rule, { kind: 'rollout' }>): string {
  if (bucket === null) return `the context has no "${source.stickiness}", which the rollout depends on.`;
  const comparison = satisfied ? 'is within' : 'is above';
  return `${describeBucket(bucket, source)} ${comparison} the rollout of ${threshold ?? 0} %.`;
}

const describeBucket = (
  bucket: number,
  { random, stickinessField, stickinessValue }: BucketSource,
): string =>
  random
    ? `bucket ${bucket}, drawn at random for this evaluation,`
    : `bucket ${bucket} of ${stickinessField} ${quote(stickinessValue ?? '')}`;

export function describeDependency(
  { feature, requires, variants, state, variant }: CheckedDependency,
  environment: string,
): string {
  if (state === 'missing') return `Parent "${feature}" does not exist in environment "${environment}".`;
  if (state === 'has-parent')
    return `Parent "${feature}" depends on another flag. SDKs support one level of parents.`;
  if (requires === state && variants.length > 0)
    return `Parent "${feature}" must serve variant ${joinWithOr(variants.map(variantName => `"${variantName}"`))}. It serves "${variant}".`;
  return `Parent "${feature}" must be ${requires}. It is ${state}.`;
}

function describeVariant(selection: VariantSelection): string {
  const { source, override, bucket, ranges, name } = selection;
  const owner = source === 'strategy' ? 'strategy' : 'flag';
  if (override)
    return `The override for ${override.contextName} ${quote(override.value)} selects variant "${override.variant}".`;
  const range = ranges.find(candidate => candidate.name === name);
  if (!range || bucket === null) return `The ${owner} serves no variant: the weights of all variants are 0.`;
  const text = describeBucket(bucket, selection);
  return `${capitalize(text)} is in the range ${range.from} to ${range.to} of variant "${name}" of the ${owner}.`;
}
