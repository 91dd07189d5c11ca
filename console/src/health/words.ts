import { formatDate } from '../ui/time.ts';
import { formatCount } from '../ui/words.ts';
import type { Finding, Health, Rule } from './queries.ts';

export const RULE_LABELS: Record<Rule['rule'], string> = {
  stale: 'Stale',
  'past-lifetime': 'Past lifetime',
  'enabled-everywhere': 'Enabled everywhere',
  'disabled-everywhere': 'Disabled everywhere',
  'never-seen': 'Never seen',
  'outside-production': 'Only outside production',
  'constant-result': 'Always the same result',
  'archived-in-use': 'Archived but in use',
  'no-strategies': 'No strategies',
  'unreadable-strategy': 'Unreadable for some SDKs',
  'imported-as-is': 'Imported with violations',
  'archived-parent': 'Archived parent',
  'duplicate-of-clone': 'Duplicate of its source',
  'no-owner': 'No owner',
  'unused-segment': 'Unused segment',
};

/** Formats the score's formula with the project's numbers. */
export const formatFormula = ({ features, stale, potentiallyStale }: Health['counts']): string =>
  features === 0
    ? '100, because the project has no flags'
    : `100 − 100 × (${stale} stale + ${potentiallyStale} potentially stale) / ${formatCount(features, 'flag')}`;

/** The rules whose findings lower the score. */
const SCORED_RULES: readonly Rule['rule'][] = ['stale', 'past-lifetime'];

const sumScored = (rules: readonly Rule[], count: (rule: Rule) => number): number =>
  rules.filter(({ rule }) => SCORED_RULES.includes(rule)).reduce((sum, rule) => sum + count(rule), 0);

/** Counts the snoozed findings that lower the score. */
export const countSnoozed = (rules: readonly Rule[]): number => sumScored(rules, rule => rule.snoozed);

/**
 * Returns what the score would be if all flags whose listed findings have points were archived. Adding up the rules' points would be
 * wrong, because each archived flag also lowers the number of flags. Snoozed findings keep lowering the score unless they are
 * repaired too.
 */
export function computeScoreAfterRepairs(
  { health, counts, rules }: Pick<Health, 'health' | 'counts' | 'rules'>,
  withSnoozed = false,
): number {
  const repairedCount = sumScored(rules, rule => rule.findings + (withSnoozed ? rule.snoozed : 0));
  if (repairedCount === 0) return health;
  const remainingCount = counts.features - repairedCount;
  const debt = counts.stale + counts.potentiallyStale - repairedCount;
  return remainingCount <= 0 ? 100 : Math.round(100 - (100 * debt) / remainingCount);
}

/** Formats points as +33.3. */
export const formatPoints = (points: number): string => `+${Number(points.toFixed(1))}`;

/** Formats the points of a rule. It says "together", because the points of the rule's findings do not add up to this number. */
export const formatRulePoints = (points: number, findings: number): string =>
  `${formatPoints(points)} points${findings === 2 ? ' for both together' : findings > 2 ? ` for all ${findings} together` : ''}`;

/** Whether a stale flag would still lower the score if it were unmarked, because it is older than its type's lifetime. */
export const isPastLifetime = ({ ageDays, lifetimeDays }: Finding['evidence']): boolean =>
  typeof lifetimeDays === 'number' && ageDays > lifetimeDays;

/** Formats an age as "45 days old", or as "Created today". */
export const formatAge = (days: number): string =>
  days === 0 ? 'Created today' : `${formatCount(days, 'day')} old`;

/** Describes why the rule found the flag or segment. */
export function describeEvidence(
  { rule, evidence }: Pick<Finding, 'rule' | 'evidence'>,
  now = Date.now(),
): string {
  const sinceText = evidence.since === null ? '' : ` since ${formatDate(evidence.since, now)}`;
  const names = evidence.environments.map(environment => environment.name).join(', ');
  if (rule === 'stale') return `Stale${sinceText}`;
  if (rule === 'past-lifetime')
    return `${formatAge(evidence.ageDays)}, expected lifetime ${formatCount(evidence.lifetimeDays ?? 0, 'day')}`;
  if (rule === 'enabled-everywhere') return `Enabled in ${names}${sinceText}`;
  if (rule === 'disabled-everywhere') return `Disabled in ${names}${sinceText}`;
  if (rule === 'unreadable-strategy')
    return `SDKs for Java, .NET, Python, Ruby and Rust cannot read ${(evidence.unreadable ?? []).map(({ string }) => string).join(', ')}`;
  if (rule === 'imported-as-is') return (evidence.violations ?? []).join('; ');
  if (rule === 'archived-parent') return `Depends on ${(evidence.archivedParents ?? []).join(', ')}`;
  if (rule === 'duplicate-of-clone') return `Same as ${evidence.clonedFrom}${sinceText}`;
  if (rule === 'unused-segment' && evidence.references?.length)
    return `Referenced only by ${evidence.references.join(', ')}`;
  return formatAge(evidence.ageDays);
}
