import { dateOf } from '../ui/time.ts';
import { counted } from '../ui/words.ts';
import type { Finding, Health, Rule } from './queries.ts';

export const RULES: Record<Rule['rule'], string> = {
  stale: 'Stale',
  'past-lifetime': 'Past lifetime',
  'enabled-everywhere': 'Enabled everywhere',
  'disabled-everywhere': 'Disabled everywhere',
  'never-seen': 'Never seen',
  'no-strategies': 'No strategies',
  'archived-parent': 'Archived parent',
  'duplicate-of-clone': 'Duplicate of its source',
  'unused-segment': 'Unused segment',
};

/** The formula with the numbers of the project. */
export const formulaOf = ({ features, stale, potentiallyStale }: Health['counts']): string =>
  features === 0
    ? '100, because the project has no flags'
    : `100 − 100 × (${stale} stale + ${potentiallyStale} potentially stale) / ${counted(features, 'flag')}`;

/** The score if every listed finding were fixed. Snoozed findings keep counting. */
export const scoreAfter = ({ health, rules }: Pick<Health, 'health' | 'rules'>): number =>
  Math.min(100, Math.round(health + rules.reduce((sum, rule) => sum + rule.points, 0)));

/** Points as the page shows them: +33.3. */
export const pointsOf = (points: number): string => `+${Number(points.toFixed(1))}`;

/** Why the rule found the flag or segment. */
export function evidenceOf({ rule, evidence }: Pick<Finding, 'rule' | 'evidence'>, now = Date.now()): string {
  const since = evidence.since === null ? '' : ` since ${dateOf(evidence.since, now)}`;
  const names = evidence.environments.map(one => one.name).join(', ');
  if (rule === 'stale') return `Stale${since}`;
  if (rule === 'past-lifetime')
    return `${counted(evidence.ageDays, 'day')} old, expected lifetime ${counted(evidence.lifetimeDays ?? 0, 'day')}`;
  if (rule === 'enabled-everywhere') return `Enabled in ${names}${since}`;
  if (rule === 'disabled-everywhere') return `Disabled in ${names}${since}`;
  if (rule === 'archived-parent') return `Depends on ${(evidence.archivedParents ?? []).join(', ')}`;
  if (rule === 'duplicate-of-clone') return `Same as ${evidence.clonedFrom}${since}`;
  if (rule === 'unused-segment' && evidence.references?.length)
    return `Only referred to by ${evidence.references.join(', ')}`;
  return `${counted(evidence.ageDays, 'day')} old`;
}
