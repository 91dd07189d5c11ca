import { ago, clockOf, dateOf, fullOf, utcOf } from './time.ts';
import { useCurrent } from './useCurrent.ts';

/**
 * A time in the zone of the user; hovering shows UTC. `as="ago"`: "2 h ago". `as="clock"`: "14:30:08".
 * `as="full"`: "15 Nov 2026, 14:30:08 GMT+1".
 */
export function Time({
  at,
  as = 'ago',
  className,
}: {
  at: string;
  as?: 'ago' | 'clock' | 'date' | 'full';
  className?: string;
}) {
  const words = useCurrent(now => WORDS[as](at, now));
  return (
    <time dateTime={at} title={utcOf(at)} className={className}>
      {words}
    </time>
  );
}

const WORDS = { ago, clock: clockOf, date: dateOf, full: fullOf };
