import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ArchiveDialog } from '../features/ArchiveDialog.tsx';
import { featureQuery, updateFeature } from '../features/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { formatCount } from '../ui/words.ts';
import s from './health.module.css';
import { type Finding, type Health, type Rule, unsnoozeFinding } from './queries.ts';
import { Snooze } from './Snooze.tsx';
import { describeEvidence, formatPoints, formatRulePoints, isPastLifetime, RULE_LABELS } from './words.ts';

/** Lists the findings by rule, in the server's order, which puts rules with points first. */
export function Findings({ health }: { health: Health }) {
  const findingsByRule = Map.groupBy(health.findings, finding => finding.rule);
  return [...findingsByRule].map(([name, findings]) => {
    const rule = health.rules.find(candidate => candidate.rule === name);
    return rule && <RuleFindings key={name} projectId={health.project} rule={rule} findings={findings} />;
  });
}

function RuleFindings({
  projectId,
  rule,
  findings,
}: {
  projectId: string;
  rule: Rule;
  findings: readonly Finding[];
}) {
  const [firstFinding] = findings;
  // Snoozed findings have no points, because the rule's points do not include them.
  const points = firstFinding?.snooze ? 0 : rule.points;
  return (
    <section className={s.rule} aria-labelledby={`rule-${rule.rule}`}>
      <header>
        <h3 id={`rule-${rule.rule}`}>{RULE_LABELS[rule.rule]}</h3>
        {points > 0 && <span className={s.points}>{formatRulePoints(points, rule.findings)}</span>}
        {firstFinding?.points === 0 && <span className="muted">does not lower the score</span>}
        <p className={s.about}>
          {rule.description} {rule.remedy}{' '}
          {rule.rule === 'stale' && rule.findings > 1 && (
            <Link
              to="/projects/$projectId"
              params={{ projectId }}
              search={{ state: 'IS:stale' }}
              className={s.bulkLink}
            >
              Select several in the flag list
            </Link>
          )}
        </p>
      </header>
      <ul>
        {findings.map(finding => (
          <Row key={finding.id} projectId={projectId} finding={finding} />
        ))}
      </ul>
    </section>
  );
}

function Row({ projectId, finding }: { projectId: string; finding: Finding }) {
  const { rule, feature, segment, evidence, snooze, points } = finding;
  return (
    <li className={s.finding} aria-label={feature ?? segment?.name}>
      <div className={s.subject}>
        {feature === null ? (
          <span className="mono">{segment?.name}</span>
        ) : (
          <Link
            to="/projects/$projectId/features/$featureName"
            params={{ projectId, featureName: feature }}
            className="mono"
          >
            {feature}
          </Link>
        )}
        <p>
          {describeEvidence(finding)}
          {evidence.lastChange && (
            <>
              {' · last change by '}
              {evidence.lastChange.by}, <Time at={evidence.lastChange.at} />
            </>
          )}
        </p>
        {rule === 'stale' && isPastLifetime(evidence) && (
          <p>Unmarking it adds no points, because the flag is past its lifetime.</p>
        )}
        {snooze && (
          <p>
            Snoozed by {snooze.createdBy} until <Time at={snooze.until} format="date" />: {snooze.reason}
          </p>
        )}
      </div>
      <span className={s.gain}>{points > 0 && formatPoints(points)}</span>
      <Actions projectId={projectId} finding={finding} />
    </li>
  );
}

/** Rules whose findings disappear when the flag is archived. */
const ARCHIVABLE_RULES: readonly Finding['rule'][] = [
  'stale',
  'past-lifetime',
  'enabled-everywhere',
  'disabled-everywhere',
  'never-seen',
  'no-strategies',
  'duplicate-of-clone',
];

function Actions({ projectId, finding }: { projectId: string; finding: Finding }) {
  const [dialog, setDialog] = useState<'archive' | 'snooze'>();
  const { feature, rule, snooze } = finding;
  const setStale = (featureName: string, stale: boolean) =>
    updateFeature({ projectId, featureName }, { stale });
  const unmark = async (featureName: string) => {
    await setStale(featureName, false);
    toast({
      message: isPastLifetime(finding.evidence)
        ? `Unmarked ${featureName} as stale. It is past its lifetime, so it still lowers the score.`
        : `Unmarked ${featureName} as stale.`,
      action: { label: 'Undo', run: () => void setStale(featureName, true).catch(toastError) },
    });
  };
  const close = () => setDialog(undefined);
  return (
    <div className={s.actions}>
      {feature !== null && rule === 'stale' && (
        <Can call="updateFeature" project={projectId}>
          <Button onClick={() => void unmark(feature).catch(toastError)}>Unmark</Button>
        </Can>
      )}
      {feature !== null && ARCHIVABLE_RULES.includes(rule) && (
        <Can call="archiveFeature" project={projectId}>
          <Button onClick={() => setDialog('archive')}>Archive…</Button>
        </Can>
      )}
      {feature !== null && !ARCHIVABLE_RULES.includes(rule) && (
        <Button
          renderRoot={props => (
            <Link
              to="/projects/$projectId/features/$featureName"
              params={{ projectId, featureName: feature }}
              {...props}
            />
          )}
        >
          Open
        </Button>
      )}
      <Can call={snooze ? 'unsnoozeFinding' : 'snoozeFinding'} project={projectId}>
        <Button
          variant="subtle"
          onClick={() =>
            snooze ? void unsnoozeFinding(projectId, finding).catch(toastError) : setDialog('snooze')
          }
        >
          {snooze ? 'Unsnooze' : 'Snooze…'}
        </Button>
      </Can>
      {dialog === 'snooze' && <Snooze projectId={projectId} finding={finding} onClose={close} />}
      {dialog === 'archive' && feature !== null && (
        <ArchiveFlag projectId={projectId} featureName={feature} onClose={close} />
      )}
    </div>
  );
}

function ArchiveFlag({
  projectId,
  featureName,
  onClose,
}: {
  projectId: string;
  featureName: string;
  onClose(): void;
}) {
  const feature = useQuery(featureQuery({ projectId, featureName })).data;
  return feature ? <ArchiveDialog feature={feature} onClose={onClose} /> : null;
}

/** Filters by the rules that have findings, or by the snoozed findings. */
export function RuleFilter({
  rules,
  selectedFilter,
  isSnoozed,
  onChange,
}: {
  rules: readonly Rule[];
  selectedFilter: string | undefined;
  isSnoozed: boolean;
  onChange(change: { rule?: string; snoozed?: string }): void;
}) {
  const getCount = (rule: Rule) => (isSnoozed ? rule.snoozed : rule.findings);
  const snoozedCount = rules.reduce((sum, rule) => sum + rule.snoozed, 0);
  return (
    <fieldset className={s.choice} aria-label="Filter findings">
      <button
        type="button"
        aria-pressed={!selectedFilter && !isSnoozed}
        onClick={() => onChange({ rule: undefined, snoozed: undefined })}
      >
        All {rules.reduce((sum, rule) => sum + rule.findings, 0)}
      </button>
      {rules
        .filter(rule => getCount(rule) > 0 || selectedFilter === `IS:${rule.rule}`)
        .map(rule => (
          <button
            key={rule.rule}
            type="button"
            aria-pressed={selectedFilter === `IS:${rule.rule}`}
            onClick={() => onChange({ rule: `IS:${rule.rule}` })}
          >
            {RULE_LABELS[rule.rule]} {getCount(rule)}
          </button>
        ))}
      <button
        type="button"
        aria-pressed={isSnoozed}
        onClick={() => onChange({ rule: undefined, snoozed: isSnoozed ? undefined : 'true' })}
      >
        {formatCount(snoozedCount, 'snoozed', 'snoozed')}
      </button>
    </fieldset>
  );
}
