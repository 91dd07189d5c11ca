import type { schemas } from '../api/api.gen.ts';
import { fullOf } from '../ui/time.ts';

type Constraint = schemas['Constraint'];
type Strategy = Pick<schemas['FeatureStrategy'], 'name' | 'parameters' | 'segments' | 'constraints'>;

/** A piece of a sentence. `strong` marks what the user chose. */
export type Word = { text: string; strong?: boolean };

/** How an operator reads between a field and its values: "plan is any of". The second string is for the inverted operator. */
const OPERATORS: Record<Constraint['operator'], readonly [string, string]> = {
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

export const operatorWords = (operator: Constraint['operator'], inverted = false): string =>
  OPERATORS[operator][inverted ? 1 : 0];

const MAX_LISTED = 4;

/** `a, b or c`; a long list ends with its length: `a, b, c or 12 more`. */
export function listOf(values: readonly string[], last = 'or'): string {
  const shown = values.length > MAX_LISTED ? values.slice(0, MAX_LISTED - 1) : values;
  const more = values.length - shown.length;
  const items = more > 0 ? [...shown, `${more.toLocaleString('en')} more`] : shown;
  if (items.length < 2) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** A time in the user's time zone, followed by the zone. A string that is not a time stays as it is. */
const timeOf = (text: string): string => (Number.isNaN(Date.parse(text)) ? text : fullOf(text));

export function constraintWords(constraint: Constraint): Word[] {
  const given = constraint.values?.length ? constraint.values : [constraint.value ?? ''];
  const values = constraint.operator.startsWith('DATE_') ? given.map(timeOf) : given;
  return [
    { text: constraint.contextName, strong: true },
    { text: ` ${operatorWords(constraint.operator, constraint.inverted)} ` },
    { text: listOf(values), strong: true },
  ];
}

const split = (list = ''): string[] =>
  list
    .split(',')
    .map(value => value.trim())
    .filter(value => value !== '');

/** The users that a strategy selects before segments and constraints apply. */
function shareOf({ name, parameters }: Strategy): Word[] {
  if (name === 'userWithId')
    return [{ text: 'Users ' }, { text: listOf(split(parameters.userIds)), strong: true }];
  if (name === 'remoteAddress')
    return [{ text: 'IP addresses ' }, { text: listOf(split(parameters.IPs)), strong: true }];
  if (name === 'applicationHostname')
    return [{ text: 'Hosts ' }, { text: listOf(split(parameters.hostNames)), strong: true }];
  const rollout = parameters.rollout ?? parameters.percentage;
  if (name === 'default' || rollout === '100') return [{ text: 'Everyone', strong: true }];
  if (rollout !== undefined && name !== 'custom') return [{ text: `${rollout} %`, strong: true }];
  return [{ text: 'Strategy ' }, { text: name, strong: true }];
}

/** The audience of a strategy: "50 % of eu-merchants whose plan is team or business". */
export function audienceOf(strategy: Strategy, segmentNames: ReadonlyMap<number, string>): Word[] {
  const share = shareOf(strategy);
  const isShare = share.length === 1 && share[0]?.text.endsWith('%');
  const segments = strategy.segments.map(id => segmentNames.get(id) ?? `segment ${id}`);
  const of: Word[] = segments.length
    ? [{ text: isShare ? ' of ' : ' in ' }, { text: listOf(segments, 'and'), strong: true }]
    : isShare
      ? [{ text: ' of users' }]
      : [];
  const whose = strategy.constraints.flatMap((constraint, index) => [
    { text: index === 0 ? ' whose ' : ' and ' },
    ...constraintWords(constraint),
  ]);
  return [...share, ...of, ...whose];
}

/** The audience as plain text, for titles and questions. */
export const textOf = (words: readonly Word[]): string => words.map(word => word.text).join('');

/** Whether a strategy selects every user. */
export const selectsEveryone = (strategy: Strategy & { disabled: boolean }): boolean =>
  !strategy.disabled && textOf(audienceOf(strategy, new Map())) === 'Everyone';

/** Everyone who gets the flag in an environment, for a question: "50 % of eu-merchants or everyone in beta". */
export function audienceText(
  strategies: readonly (Strategy & { disabled: boolean })[],
  segmentNames: ReadonlyMap<number, string>,
): string {
  const active = strategies.filter(one => !one.disabled);
  // Enabling a flag without an enabled strategy adds one.
  if (active.length === 0) return 'everyone, with a default strategy';
  return active
    .map(one => textOf(audienceOf(one, segmentNames)).replace(/^Everyone/, 'everyone'))
    .join(' or ');
}

/** The condition that a parent of a flag must meet: "must serve blue or green". */
export function requirementOf({
  enabled,
  variants,
}: Pick<schemas['Dependency'], 'enabled' | 'variants'>): string {
  if (!enabled) return 'must be disabled';
  return variants.length > 0 ? `must serve ${listOf(variants)}` : 'must be enabled';
}

const DAY_MS = 86_400_000;

/** Full days since a time. */
export const ageOf = (createdAt: string, now = Date.now()): number =>
  Math.floor((now - Date.parse(createdAt)) / DAY_MS);
