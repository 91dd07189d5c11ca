import { formatAge, formatClock, formatDate, formatFullTime, formatSince, formatUtc } from './time.ts';
import { useTimeLabel } from './useTimeLabel.ts';

/**
 * A time in the user's time zone, with a tooltip that shows UTC. The format `ago` shows "2 h ago", `since` "for 2 h",
 * `clock` "14:30:08", and `full` "15 Nov 2026, 14:30:08 GMT+1".
 */
export function Time({
  at,
  format = 'ago',
  className,
}: {
  at: string;
  format?: 'ago' | 'since' | 'clock' | 'date' | 'full';
  className?: string;
}) {
  const text = useTimeLabel(now => FORMATTERS[format](at, now));
  return (
    <time dateTime={at} title={formatUtc(at)} className={className}>
      {text}
    </time>
  );
}

const FORMATTERS = {
  ago: formatAge,
  since: formatSince,
  clock: formatClock,
  date: formatDate,
  full: formatFullTime,
};
