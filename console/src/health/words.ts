import { dateOf } from '../ui/time.ts';
import { counted } from '../ui/words.ts';
import type { Finding, Health, Rule } from './queries.ts';

export const RULES: Record<Rule['rule'], string> = {
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

/** The formula with the numbers of the project. */
export const formulaOf = ({ features, stale, potentiallyStale }: Health['counts']): string =>
  features === 0
    ? '100, because the project has no flags'
    : `100 − 100 × (${stale} stale + ${potentiallyStale} potentially stale) / ${counted(features, 'flag')}`;

/** The rules whose findings lower the score. */
const SCORED: readonly Rule['rule'][] = ['stale', 'past-lifetime'];

const sumOf = (rules: readonly Rule[], count: (rule: Rule) => number): number =>
  rules.filter(({ rule }) => SCORED.includes(rule)).reduce((sum, rule) => sum + count(rule), 0);

/** The number of snoozed findings that lower the score. */
export const snoozedOf = (rules: readonly Rule[]): number => sumOf(rules, rule => rule.snoozed);

/**
 * The score if the flags of all listed findings with points were archived. The points of rules do not add up, because
 * each archived flag also lowers the number of flags. Snoozed findings keep counting, unless they are repaired too.
 */
export function scoreAfter(
  { health, counts, rules }: Pick<Health, 'health' | 'counts' | 'rules'>,
  withSnoozed = false,
): number {
  const fixed = sumOf(rules, rule => rule.findings + (withSnoozed ? rule.snoozed : 0));
  if (fixed === 0) return health;
  const remaining = counts.features - fixed;
  const debt = counts.stale + counts.potentiallyStale - fixed;
  return remaining <= 0 ? 100 : Math.round(100 - (100 * debt) / remaining);
}

/** Points as the page shows them: +33.3. */
export const pointsOf = (points: number): string => `+${Number(points.toFixed(1))}`;

/** The points of a rule. The points of its findings do not add up to this number, so the wording says "together". */
export const rulePointsOf = (points: number, findings: number): string =>
  `${pointsOf(points)} points${findings === 2 ? ' for both together' : findings > 2 ? ` for all ${findings} together` : ''}`;

/** Whether a stale flag keeps lowering the score when it is unmarked, because it is older than the lifetime of its type. */
export const isPastLifetime = ({ ageDays, lifetimeDays }: Finding['evidence']): boolean =>
  typeof lifetimeDays === 'number' && ageDays > lifetimeDays;

/** Why the rule found the flag or segment. */
export function evidenceOf({ rule, evidence }: Pick<Finding, 'rule' | 'evidence'>, now = Date.now()): string {
  const since = evidence.since === null ? '' : ` since ${dateOf(evidence.since, now)}`;
  const names = evidence.environments.map(one => one.name).join(', ');
  if (rule === 'stale') return `Stale${since}`;
  if (rule === 'past-lifetime')
    return `${counted(evidence.ageDays, 'day')} old, expected lifetime ${counted(evidence.lifetimeDays ?? 0, 'day')}`;
  if (rule === 'enabled-everywhere') return `Enabled in ${names}${since}`;
  if (rule === 'disabled-everywhere') return `Disabled in ${names}${since}`;
  if (rule === 'unreadable-strategy')
    return `SDKs for Java, .NET, Python, Ruby and Rust cannot read ${(evidence.unreadable ?? []).map(({ string }) => string).join(', ')}`;
  if (rule === 'imported-as-is') return (evidence.violations ?? []).join('; ');
  if (rule === 'archived-parent') return `Depends on ${(evidence.archivedParents ?? []).join(', ')}`;
  if (rule === 'duplicate-of-clone') return `Same as ${evidence.clonedFrom}${since}`;
  if (rule === 'unused-segment' && evidence.references?.length)
    return `Only referred to by ${evidence.references.join(', ')}`;
  return `${counted(evidence.ageDays, 'day')} old`;
}
