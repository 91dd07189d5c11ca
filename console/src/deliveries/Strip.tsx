import { useQuery } from '@tanstack/react-query';
import type { Integration } from '../integrations/queries.ts';
import { Bars } from '../ui/Chart.tsx';
import { Failure } from '../ui/Failure.tsx';
import { lasting } from '../ui/time.ts';
import { counted } from '../ui/words.ts';
import s from './deliveries.module.css';
import { statsQuery } from './queries.ts';

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const percent = (share: number | null): string =>
  share === null ? '–' : `${Math.round(share * 1000) / 10} %`;

/** How the integration delivered in the last 24 hours: rates, and attempts by hour. */
export function Strip({ integration }: { integration: Integration }) {
  const { data, error, refetch } = useQuery(statsQuery(integration.id));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  const day = data?.last24Hours;
  const ended = (day?.delivered ?? 0) + (day?.failed ?? 0);
  return (
    <div className={s.strip}>
      <dl>
        <Figure name="Delivered">{percent(day?.successRate ?? null)}</Figure>
        <Figure name="First attempt">{percent(day && ended > 0 ? day.deliveredFirst / ended : null)}</Figure>
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
          label: `${HOUR.format(new Date(start))}: ${delivered} delivered, ${failed + retried} failed`,
          value: delivered,
          bad: failed + retried,
        }))}
      />
    </div>
  );
}

function Figure({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
