import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bars } from '../ui/Chart.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { Empty } from '../ui/Empty.tsx';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { formatClock, formatDate } from '../ui/time.ts';
import { useFilters } from '../ui/useFilters.ts';
import { formatNumber } from '../ui/words.ts';
import { FlagFrame } from './Frame.tsx';
import { type Feature, usageQuery } from './queries.ts';
import s from './tab.module.css';
import u from './usage.module.css';
import {
  type ApplicationUsage,
  type EnvironmentUsage,
  formatShare,
  groupByApplication,
  groupByEnvironment,
  RANGES,
  type Range,
  type Slot,
} from './usage.ts';

const RANGE_NAMES = Object.keys(RANGES) as Range[]; // Object.keys returns string[].

/** Shows how many times SDKs evaluated the flag, by environment and application. */
export function FeatureUsagePage() {
  return <FlagFrame>{feature => <Usage feature={feature} />}</FlagFrame>;
}

function Usage({ feature }: { feature: Feature }) {
  const { search, replace } = useFilters();
  const range: Range = search.range === 'month' ? 'month' : 'day';
  const { data, error, refetch } = useQuery(usageQuery(feature.name, RANGES[range].hoursBack));
  const environments = feature.environments.map(({ name }) => name);
  return (
    <div className={s.tab}>
      <section aria-label="Usage">
        <header>
          <h2>Usage</h2>
          <span className="muted">How often SDKs evaluated the flag. They report once a minute.</span>
          <SegmentedControl
            className={u.range}
            aria-label="Range"
            value={range}
            data={RANGE_NAMES.map(value => ({ value, label: RANGES[value].label }))}
            onChange={value => replace({ range: value === 'month' ? value : undefined })}
          />
        </header>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton rows={4} />}
        {data && (
          <div className={u.cards}>
            {groupByEnvironment(data.data, range, environments).map(usage => (
              <Card key={usage.environment} usage={usage} range={range} />
            ))}
          </div>
        )}
      </section>
      {data && <Applications applications={groupByApplication(data.data, range, environments)} />}
    </div>
  );
}

function Card({ usage, range }: { usage: EnvironmentUsage; range: Range }) {
  const { environment, yes, no, slots, variants } = usage;
  const total = yes + no;
  const summary = `${formatNumber(yes)} enabled, ${formatNumber(no)} disabled`;
  return (
    <section className={u.card} aria-label={`Usage in ${environment}`}>
      <header>
        <h3>
          <Env name={environment} />
        </h3>
        {total > 0 && <b>{formatShare(yes, total)} enabled</b>}
      </header>
      {total === 0 ? (
        <p className="muted">No SDK evaluated the flag in the last {RANGES[range].label}.</p>
      ) : (
        <>
          <Bars
            bars={slots.map(slot => ({
              key: slot.at,
              label: formatSlot(slot, range),
              value: slot.yes,
              bad: slot.no,
            }))}
            tone="usage"
            height={64}
            summary={`Evaluations in ${environment} by ${RANGES[range].unit}: ${summary}`}
            ticks={[`${RANGES[range].label} ago`, 'Now']}
          />
          <p>{summary}</p>
          {variants.length > 0 && (
            <p className="muted">
              {variants.map(([name, count]) => `${escapeText(name)} ${formatNumber(count)}`).join(' · ')}
            </p>
          )}
        </>
      )}
    </section>
  );
}

const formatSlot = ({ at, yes, no }: Slot, range: Range): string =>
  `${range === 'day' ? formatClock(at).slice(0, 5) : formatDate(at)}: ${formatNumber(yes)} enabled, ${formatNumber(no)} disabled`;

function Applications({ applications }: { applications: readonly ApplicationUsage[] }) {
  return (
    <section aria-label="Applications">
      <header>
        <h2>Applications</h2>
        <span className="muted">Applications that evaluated the flag during this time</span>
      </header>
      {applications.length === 0 && <Empty>No application evaluated the flag.</Empty>}
      <ul>
        {applications.map(({ appName, yes, no, environments }) => (
          <li key={appName}>
            <span className={s.what}>
              <Link to="/applications/$appName" params={{ appName }}>
                {appName}
              </Link>
              <span className="muted">{environments.join(', ')}</span>
            </span>
            <span>
              {formatNumber(yes)} enabled, {formatNumber(no)} disabled
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
