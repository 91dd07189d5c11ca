import type { Reader } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { debtOf, FORMULA, gainOf, healthOf } from '../../technical-debt/score.ts';
import type { FindingSearch } from './query.ts';
import { RULES } from './rules.ts';
import type { Finding, ProjectHealth } from './schema.ts';
import { type FoundFinding, findHealthParts, type HealthParts } from './store.ts';

/** The health of a project with its reasons: what was found, by which rule, and what repairing it would give. */
export async function explainHealth(
  db: Reader,
  project: string,
  at: Date,
  search: FindingSearch,
): Promise<ProjectHealth> {
  const parts = await findHealthParts(db, project, at, search);
  if (!parts) throw notFound(`Project ${project}`);
  const { counts, debtBudget, total } = parts;
  const health = healthOf(counts);
  return {
    project,
    at: at.toISOString(),
    health,
    technicalDebt: 100 - health,
    formula: FORMULA,
    counts,
    debtBudget: {
      limit: debtBudget,
      used: debtOf(counts),
      exceeded: debtBudget !== null && debtOf(counts) > debtBudget,
    },
    rules: RULES.map(rule => ruleFigures(rule, parts)),
    findings: parts.findings.map(finding => present(finding, parts)),
    total,
  };
}

type Rule = (typeof RULES)[number];

function ruleFigures({ name, description, remedy, counts }: Rule, parts: HealthParts) {
  const { findings = 0, snoozed = 0 } = parts.figures.find(({ rule }) => rule === name) ?? {};
  return {
    rule: name,
    description,
    remedy,
    findings,
    snoozed,
    points: counts ? gainOf(parts.counts, findings) : 0,
    conclusive: name !== 'never-seen' || parts.telemetry,
  };
}

function present(finding: FoundFinding, { counts }: HealthParts): Finding {
  const rule = RULES.find(({ name }) => name === finding.rule);
  if (!rule) throw new Error(`There is no rule ${finding.rule}`);
  return {
    id: `${finding.rule}:${finding.feature ?? finding.segment?.id}`,
    ...finding,
    remedy: rule.remedy,
    points: rule.counts ? gainOf(counts, 1) : 0,
  };
}
