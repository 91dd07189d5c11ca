import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../../platform/db/database.ts';
import { computeDebt, computeHealth, computeHealthGain, FORMULA } from '../../technical-debt/score.ts';
import { RULES, type Rule, type RuleName } from '../rules/rules.ts';
import type { FindingSearch } from './query.ts';
import type { Finding, ProjectHealth } from './schema.ts';
import { type FoundFinding, findHealthParts, type HealthParts } from './store.ts';

/** Returns the health of a project with the findings of each rule and the points that fixing them would add. */
export async function explainHealth(
  db: Reader,
  project: string,
  now: Date,
  search: FindingSearch,
): Promise<ProjectHealth> {
  const parts = await findHealthParts(db, project, now, search);
  if (!parts) throw notFound(`Project "${project}"`);
  const { counts, debtBudget, total } = parts;
  const health = computeHealth(counts);
  return {
    project,
    at: now.toISOString(),
    health,
    technicalDebt: 100 - health,
    formula: FORMULA,
    counts,
    debtBudget: {
      limit: debtBudget,
      used: computeDebt(counts),
      exceeded: debtBudget !== null && computeDebt(counts) > debtBudget,
    },
    rules: RULES.map(rule => summarizeRule(rule, parts)),
    findings: parts.findings.map(finding => describeFinding(finding, parts)),
    total,
  };
}

function summarizeRule({ name, description, remedy, counts }: Rule, parts: HealthParts) {
  const { findings = 0, snoozed = 0 } = parts.ruleCounts.find(({ rule }) => rule === name) ?? {};
  return {
    rule: name,
    description,
    remedy,
    findings,
    snoozed,
    points: counts ? computeHealthGain(parts.counts, findings) : 0,
    conclusive: hasEvidence(name, parts.telemetry),
  };
}

/** Returns whether SDKs have reported enough data for the rule to be conclusive. */
function hasEvidence(rule: RuleName, telemetry: HealthParts['telemetry']): boolean {
  if (rule === 'never-seen') return telemetry.seen;
  if (rule === 'outside-production') return telemetry.production;
  return rule !== 'constant-result' || telemetry.settled;
}

function describeFinding(finding: FoundFinding, { counts }: HealthParts): Finding {
  const rule = RULES.find(({ name }) => name === finding.rule);
  if (!rule) throw new Error(`Rule "${finding.rule}" does not exist`);
  return {
    id: `${finding.rule}:${finding.feature ?? finding.segment?.id}`,
    ...finding,
    remedy: rule.remedy,
    points: rule.counts ? computeHealthGain(counts, 1) : 0,
  };
}
