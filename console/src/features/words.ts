import type { schemas } from '../api/api.gen.ts';
import { escapeText, quoteText } from '../ui/caller-text.ts';
import { formatFullTime } from '../ui/time.ts';

type Constraint = schemas['Constraint'];
type Strategy = Pick<schemas['FeatureStrategy'], 'name' | 'parameters' | 'segments' | 'constraints'>;

/** A part of a sentence. `strong` marks what the user chose. */
export type TextPart = { text: string; strong?: boolean };

/** The label of each operator, shown between a field and its values. The second label is for the inverted operator. */
const OPERATOR_LABELS: Record<Constraint['operator'], readonly [string, string]> = {
  IN: ['is', 'is not'],
  NOT_IN: ['is not', 'is'],
  STR_CONTAINS: ['contains', 'does not contain'],
  STR_STARTS_WITH: ['starts with', 'does not start with'],
  STR_ENDS_WITH: ['ends with', 'does not end with'],
  NUM_EQ: ['=', '≠'],
  NUM_GT: ['>', '≤'],
  NUM_GTE: ['≥', '<'],
  NUM_LT: ['<', '≥'],
  NUM_LTE: ['≤', '>'],
  DATE_BEFORE: ['is before', 'is not before'],
  DATE_AFTER: ['is after', 'is not after'],
  SEMVER_EQ: ['is version', 'is not version'],
  SEMVER_GT: ['is above version', 'is not above version'],
  SEMVER_GTE: ['is at least version', 'is below version'],
  SEMVER_LT: ['is below version', 'is not below version'],
  SEMVER_LTE: ['is at most version', 'is above version'],
  REGEX: ['matches', 'does not match'],
  IN_CIDR: ['is in network', 'is not in network'],
};

export const getOperatorLabel = (operator: Constraint['operator'], inverted = false): string =>
  OPERATOR_LABELS[operator][inverted ? 1 : 0];

const MAX_LISTED = 4;

/**
 * Formats a list as "a, b or c". A long list ends with the number of other values, as in "a, b, c or 12 more". By default, the values
 * are text from callers, so those that look like several values are quoted.
 */
export function formatList(
  values: readonly string[],
  conjunction = 'or',
  formatItem: (value: string) => string = quoteText,
): string {
  const listedValues = values.length > MAX_LISTED ? values.slice(0, MAX_LISTED - 1) : values;
  const shownValues = listedValues.map(value => formatItem(value));
  const hiddenCount = values.length - shownValues.length;
  const items = hiddenCount > 0 ? [...shownValues, `${hiddenCount.toLocaleString('en')} more`] : shownValues;
  if (items.length < 2) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}

/** Formats a time in the user's time zone, followed by the zone. */
const formatIfTime = (text: string): string =>
  Number.isNaN(Date.parse(text)) ? quoteText(text) : formatFullTime(text);

export function describeConstraint(constraint: Constraint): TextPart[] {
  const { contextName, operator, value } = constraint;
  const values = constraint.values?.length ? constraint.values : value ? [value] : [];
  return [
    { text: escapeText(contextName), strong: true },
    { text: ` ${getOperatorLabel(operator, constraint.inverted)} ` },
    { text: formatList(values, 'or', operator.startsWith('DATE_') ? formatIfTime : quoteText), strong: true },
  ];
}

const isConstraint = (value: unknown): value is Constraint =>
  typeof value === 'object' &&
  value !== null &&
  'contextName' in value &&
  'operator' in value &&
  Object.hasOwn(OPERATOR_LABELS, String(value.operator));

/** Describes a constraint or a list of constraints. Returns undefined for any other value. */
export function describeConstraints(value: unknown): string | undefined {
  const constraints = Array.isArray(value) ? value : [value];
  return constraints.length > 0 && constraints.every(isConstraint)
    ? constraints.map(constraint => toPlainText(describeConstraint(constraint))).join(' and ')
    : undefined;
}

const splitList = (list = ''): string[] =>
  list
    .split(',')
    .map(value => value.trim())
    .filter(value => value !== '');

/** Describes the users that a strategy selects before segments and constraints apply. */
function describeBaseAudience({ name, parameters }: Strategy): TextPart[] {
  if (name === 'userWithId')
    return [{ text: 'Users ' }, { text: formatList(splitList(parameters.userIds)), strong: true }];
  if (name === 'remoteAddress')
    return [{ text: 'IP addresses ' }, { text: formatList(splitList(parameters.IPs)), strong: true }];
  if (name === 'applicationHostname')
    return [{ text: 'Hosts ' }, { text: formatList(splitList(parameters.hostNames)), strong: true }];
  const rollout = parameters.rollout ?? parameters.percentage;
  if (name === 'default' || rollout === '100') return [{ text: 'Everyone', strong: true }];
  if (rollout !== undefined && name !== 'custom') return [{ text: `${escapeText(rollout)} %`, strong: true }];
  return [{ text: 'Strategy ' }, { text: escapeText(name), strong: true }];
}

/** Describes the audience of a strategy, such as "50 % of eu-merchants whose plan is team or business". */
export function describeStrategyAudience(
  strategy: Strategy,
  segmentNames: ReadonlyMap<number, string>,
): TextPart[] {
  const baseAudience = describeBaseAudience(strategy);
  const isPercentage = baseAudience.length === 1 && baseAudience[0]?.text.endsWith('%');
  const segments = strategy.segments.map(id => segmentNames.get(id) ?? 'a segment');
  const segmentParts: TextPart[] = segments.length
    ? [{ text: isPercentage ? ' of ' : ' in ' }, { text: formatList(segments, 'and'), strong: true }]
    : isPercentage
      ? [{ text: ' of users' }]
      : [];
  const constraintParts = strategy.constraints.flatMap((constraint, index) => [
    { text: index === 0 ? ' whose ' : ' and ' },
    ...describeConstraint(constraint),
  ]);
  return [...baseAudience, ...segmentParts, ...constraintParts];
}

/** Joins the parts into plain text, for titles and confirmations. */
export const toPlainText = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join('');

/** Whether a strategy selects every user. */
export const selectsEveryone = (strategy: Strategy & { disabled: boolean }): boolean =>
  !strategy.disabled && toPlainText(describeStrategyAudience(strategy, new Map())) === 'Everyone';

/** Describes everyone who gets the flag in an environment, such as "50 % of eu-merchants or everyone in beta". */
export function describeEnvironmentAudience(
  strategies: readonly (Strategy & { disabled: boolean })[],
  segmentNames: ReadonlyMap<number, string>,
): string {
  const activeStrategies = strategies.filter(strategy => !strategy.disabled);
  // Enabling a flag without an enabled strategy adds the default strategy.
  if (activeStrategies.length === 0) return 'everyone, with a default strategy';
  return activeStrategies
    .map(strategy =>
      toPlainText(describeStrategyAudience(strategy, segmentNames)).replace(/^Everyone/, 'everyone'),
    )
    .join(' or ');
}

/** Describes the condition that a parent of a flag must meet, such as "must serve blue or green". */
export function describeRequirement({
  enabled,
  variants,
}: Pick<schemas['Dependency'], 'enabled' | 'variants'>): string {
  if (!enabled) return 'must be disabled';
  return variants.length > 0 ? `must serve ${formatList(variants)}` : 'must be enabled';
}

const DAY_MS = 86_400_000;

/** Returns the number of full days since a time. */
export const countFullDaysSince = (createdAt: string, now = Date.now()): number =>
  Math.floor((now - Date.parse(createdAt)) / DAY_MS);

/** Describes the state of a flag after it is revived. */
export const describeRevival = ({ name, stale }: { name: string; stale: boolean }): string =>
  `Revived ${name}. It is disabled in every environment${stale ? ' and still marked as stale' : ''}.`;
