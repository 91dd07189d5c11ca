import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { HeartPulse } from 'lucide-react';
import { ProjectPage } from '../projects/Frame.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import type { Search } from '../ui/search.ts';
import { useFilters } from '../ui/useFilters.ts';
import { Budget } from './Budget.tsx';
import { Findings, RuleFilter } from './Findings.tsx';
import s from './health.module.css';
import { type FindingFilter, type Health, healthQuery } from './queries.ts';
import { Score } from './Score.tsx';
import { Trend } from './Trend.tsx';
import { RULE_LABELS } from './words.ts';

const PAGE_SIZE = 50;
const MAX_FINDINGS = 1000;

/** Shows how much cleanup a project needs, and what to clean up first. */
export function HealthPage() {
  const { projectId = '' } = useParams({ strict: false });
  const { search } = useFilters();
  const filter = readFilter(search);
  const { data, error, refetch, isPlaceholderData } = useQuery(healthQuery(projectId, filter));
  // Ignores the previous data, which may belong to a different project.
  const health = data?.project === projectId ? data : undefined;
  return (
    <ProjectPage projectId={projectId} part="Health">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.page} tabIndex={0} aria-label="Health of the project">
        {error && !health && <Failure error={error} onRetry={() => void refetch()} />}
        {!health && !error && <Skeleton />}
        {health && (
          <>
            <div className={s.cards}>
              <Score health={health} />
              <Trend projectId={projectId} />
              <Budget projectId={projectId} budget={health.debtBudget} />
            </div>
            <FindingList health={health} filter={filter} isPrevious={isPlaceholderData} />
          </>
        )}
      </section>
    </ProjectPage>
  );
}

function FindingList({
  health,
  filter,
  isPrevious,
}: {
  health: Health;
  filter: FindingFilter;
  isPrevious: boolean;
}) {
  const { push, replace } = useFilters();
  const isSnoozed = filter.snoozed === 'true';
  const inconclusiveRules = health.rules.filter(rule => !rule.conclusive);
  return (
    <div className={s.list} data-previous={isPrevious || undefined}>
      <header className={s.listHead}>
        <h2>{isSnoozed ? 'Snoozed findings' : 'Findings'}</h2>
        <RuleFilter
          rules={health.rules}
          selectedFilter={filter.rule}
          isSnoozed={isSnoozed}
          onChange={change => push({ ...change, limit: undefined })}
        />
      </header>
      {health.findings.filter(finding => finding.points > 0).length > 1 && (
        <p className="muted">
          A flag's points are what archiving just that flag would add to the score. Archiving several flags
          adds more than the sum of their points, because each archived flag also lowers the number of flags.
        </p>
      )}
      {health.total === 0 && <Empty icon={<HeartPulse size={22} />}>No findings.</Empty>}
      <Findings health={health} />
      {health.total > health.findings.length && filter.limit < MAX_FINDINGS && (
        <Button onClick={() => replace({ limit: String(filter.limit + PAGE_SIZE) })}>
          Show more of {health.total.toLocaleString('en')} findings
        </Button>
      )}
      {inconclusiveRules.length > 0 && (
        <p className="muted">
          No result yet: {inconclusiveRules.map(rule => RULE_LABELS[rule.rule]).join(', ')}. SDKs have not
          reported enough data.
        </p>
      )}
    </div>
  );
}

/** Reads the API query from the URL. */
function readFilter({ rule, snoozed, limit }: Search): FindingFilter {
  const requestedLimit = Number(limit) || PAGE_SIZE;
  return {
    ...(typeof rule === 'string' ? { rule } : {}),
    ...(snoozed === 'true' ? { snoozed } : {}),
    limit: Math.min(Math.max(1, Math.trunc(requestedLimit)), MAX_FINDINGS),
  };
}
