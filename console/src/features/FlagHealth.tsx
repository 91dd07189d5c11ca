import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { typesQuery } from '../feature-search/queries.ts';
import { healthQuery } from '../health/queries.ts';
import { describeEvidence, formatAge, RULE_LABELS } from '../health/words.ts';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import type { Feature } from './queries.ts';
import s from './Rail.module.css';
import { Section } from './Section.tsx';
import { countFullDaysSince } from './words.ts';

/** Enough for all of a flag's findings, because there are fewer rules for flags than this. */
const MAX_FINDINGS = 20;

/** The rail section with the flag's findings and age. Each finding links to its rule on the health page. */
export function FlagHealth({ feature }: { feature: Feature }) {
  const projectId = feature.project;
  const findings = useQuery(
    healthQuery(projectId, { feature: `IS:${feature.name}`, snoozed: 'all', limit: MAX_FINDINGS }),
  ).data?.findings;
  return (
    <Section
      title="Health"
      action={
        <Link to="/projects/$projectId/health" params={{ projectId }}>
          Project health
        </Link>
      }
    >
      {findings?.length === 0 && <p>No findings.</p>}
      {findings && findings.length > 0 && (
        <ul className={s.findings}>
          {findings.map(finding => (
            <li key={finding.id} data-snoozed={finding.snooze ? '' : undefined}>
              <CircleAlert size={14} aria-hidden="true" />
              <span>
                <Link
                  to="/projects/$projectId/health"
                  params={{ projectId }}
                  search={{ rule: `IS:${finding.rule}`, snoozed: finding.snooze ? 'true' : undefined }}
                >
                  {RULE_LABELS[finding.rule]}
                </Link>
                <small>
                  {describeEvidence(finding)}
                  {finding.snooze && (
                    <>
                      {' · snoozed until '}
                      <Time at={finding.snooze.until} format="date" />
                    </>
                  )}
                </small>
              </span>
            </li>
          ))}
        </ul>
      )}
      <Lifetime feature={feature} />
    </Section>
  );
}

function Lifetime({ feature }: { feature: Feature }) {
  const type = useQuery(typesQuery).data?.types.find(({ id }) => id === feature.type);
  if (!type) return null;
  const age = countFullDaysSince(feature.createdAt);
  const name = type.name.toLowerCase();
  if (type.lifetimeDays === null)
    return (
      <p className="muted">
        {formatAge(age)}. A flag of type {name} has no expected lifetime.
      </p>
    );
  const isPast = age > type.lifetimeDays;
  return (
    <>
      <p>
        <b>{formatAge(age)}</b>, expected lifetime of a flag of type {name}:{' '}
        {formatCount(type.lifetimeDays, 'day')}.
      </p>
      <div className={s.lifetime} data-past={isPast || undefined} aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * age) / type.lifetimeDays)}%` }} />
      </div>
    </>
  );
}
