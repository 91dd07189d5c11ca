import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Failure } from '../ui/Failure.tsx';
import type { Tone } from '../ui/State.tsx';
import { formatDuration } from '../ui/time.ts';
import { useTimeLabel } from '../ui/useTimeLabel.ts';
import s from './events.module.css';
import { deliveriesQuery } from './queries.ts';

type Delivery = {
  state: 'pending' | 'retrying' | 'success' | 'successWithErrors' | 'failed';
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: string | null;
};

const TONES: Record<Delivery['state'], Tone> = {
  pending: 'off',
  retrying: 'warn',
  success: 'on',
  successWithErrors: 'warn',
  failed: 'bad',
};
const MAX_SHOWN = 20;

/** Describes the state, such as "delivered, 200" or "attempt 3 failed, next in 5 min". */
export function describeState(
  { state, attempts, lastStatus, nextAttemptAt }: Delivery,
  now = Date.now(),
): string {
  const status = lastStatus === null ? '' : `, ${lastStatus}`;
  if (state === 'success') return `delivered${status}`;
  if (state === 'successWithErrors') return `partially delivered${status}`;
  if (state === 'failed')
    return `failed after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}${status}`;
  const waitMs = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - now;
  const nextAttempt = waitMs > 0 ? `, next in ${formatDuration(waitMs)}` : '';
  return state === 'retrying' ? `attempt ${attempts} failed${status}${nextAttempt}` : `pending${nextAttempt}`;
}

/** Lists the event's deliveries to integrations. */
export function Deliveries({ eventId }: { eventId: number }) {
  const { data, error, refetch } = useQuery(deliveriesQuery(eventId));
  return (
    <>
      <h2>Deliveries</h2>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.deliveries.length === 0 && <p className={s.note}>This event has no deliveries.</p>}
      <ul className={s.items}>
        {data?.deliveries.slice(0, MAX_SHOWN).map(delivery => (
          <li key={delivery.id}>
            <i className={s.state} data-tone={TONES[delivery.state]} aria-hidden="true" />
            <Link
              to="/integrations/$integrationId/deliveries/$deliveryId"
              params={{ integrationId: String(delivery.integrationId), deliveryId: delivery.id }}
            >
              {delivery.description || delivery.provider}
            </Link>
            <DeliveryState delivery={delivery} />
          </li>
        ))}
      </ul>
    </>
  );
}

function DeliveryState({ delivery }: { delivery: Delivery }) {
  return <span className="muted">{useTimeLabel(now => describeState(delivery, now))}</span>;
}
