import { useQuery } from '@tanstack/react-query';
import type { Integration } from '../integrations/queries.ts';
import { Bars } from '../ui/Chart.tsx';
import { Failure } from '../ui/Failure.tsx';
import { inZone, lasting } from '../ui/time.ts';
import { counted } from '../ui/words.ts';
import s from './deliveries.module.css';
import { statsQuery } from './queries.ts';
import { shareOf } from './words.ts';

const HOUR = { hour: '2-digit', minute: '2-digit' } as const;

/** How the integration delivered in the last 24 hours: rates of all deliveries, including open ones, and attempts by hour. */
export function Strip({ integration }: { integration: Integration }) {
  const { data, error, refetch } = useQuery(statsQuery(integration.id));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  const day = data?.last24Hours;
  const attempted = day ? day.delivered + day.failed + data.retrying : 0;
  const delivered = shareOf(day?.delivered ?? 0, attempted + (data?.pending ?? 0));
  const first = shareOf(day?.deliveredFirst ?? 0, attempted);
  return (
    <div className={s.strip}>
      <dl>
        <Figure name="Delivered" note={`${delivered.counts} in 24 h`}>
          {delivered.percent}
        </Figure>
        <Figure name="First attempt" note={`${first.counts} in 24 h`}>
          {first.percent}
        </Figure>
        <Figure name="Median latency">{day?.p50Ms == null ? '–' : lasting(day.p50Ms)}</Figure>
        <Figure name="Failed attempts">{day ? String(day.failed + day.retried) : '–'}</Figure>
      </dl>
      <Bars
        tone="good"
        height={60}
        ticks={['24 h ago', 'now']}
        summary={
          day
            ? `Attempts of the last 24 hours: ${day.delivered} delivered, ${counted(day.failed + day.retried, 'failed attempt')}`
            : 'Attempts of the last 24 hours'
        }
        bars={(data?.hours ?? []).map(({ start, delivered, failed, retried }) => ({
          key: start,
          label: `${inZone(start, HOUR)}: ${delivered} delivered, ${failed + retried} failed`,
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
