import { useQuery } from '@tanstack/react-query';
import type { Integration } from '../integrations/queries.ts';
import { Bars } from '../ui/Chart.tsx';
import { Failure } from '../ui/Failure.tsx';
import { formatDuration, formatInZone } from '../ui/time.ts';
import { formatCount } from '../ui/words.ts';
import s from './deliveries.module.css';
import { statsQuery } from './queries.ts';
import { computeShares } from './words.ts';

const HOUR_FORMAT = { hour: '2-digit', minute: '2-digit' } as const;

/** Shows the success rates of the last 24 hours, including deliveries in progress, and a chart of the attempts per hour. */
export function DeliveryStats({ integration }: { integration: Integration }) {
  const { data, error, refetch } = useQuery(statsQuery(integration.id));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  const day = data?.last24Hours;
  const { deliveredShare, firstAttemptShare } = computeShares(data);
  return (
    <div className={s.strip}>
      <dl>
        <Figure name="Delivered" note={`${deliveredShare.counts} in 24 h`}>
          {deliveredShare.percent}
        </Figure>
        <Figure name="First attempt" note={`${firstAttemptShare.counts} in 24 h`}>
          {firstAttemptShare.percent}
        </Figure>
        <Figure name="Median latency">{day?.p50Ms == null ? '–' : formatDuration(day.p50Ms)}</Figure>
        <Figure name="Failed attempts">{day ? String(day.failed + day.retried) : '–'}</Figure>
      </dl>
      <Bars
        tone="good"
        height={60}
        ticks={['24 h ago', 'now']}
        summary={
          day
            ? `Attempts in the last 24 hours: ${day.delivered} delivered, ${formatCount(day.failed + day.retried, 'failed attempt')}`
            : 'Attempts in the last 24 hours'
        }
        bars={(data?.hours ?? []).map(({ start, delivered, failed, retried }) => ({
          key: start,
          label: `${formatInZone(start, HOUR_FORMAT)}: ${delivered} delivered, ${failed + retried} failed`,
          value: delivered,
          bad: failed + retried,
        }))}
      />
    </div>
  );
}

function Figure({ name, note, children }: { name: string; note?: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {note !== undefined && <small className={s.note}>{note}</small>}
      </dd>
    </div>
  );
}
