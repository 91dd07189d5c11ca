import { useQuery } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { escapeText } from '../ui/caller-text.ts';
import { Failure } from '../ui/Failure.tsx';
import type { Tone } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import s from './events.module.css';
import { reachQuery } from './queries.ts';
import { ReachLine } from './ReachLine.tsx';

const TONES: Record<schemas['EventReach']['state'], Tone> = {
  live: 'on',
  behind: 'warn',
  unknown: 'off',
  unchanged: 'off',
};

/** Shows how many SDK instances have a change, and which instances do not have it yet. */
export function Reach({ eventId }: { eventId: number }) {
  const { data, error, refetch } = useQuery(reachQuery(eventId));
  if (data?.state === 'unchanged') return null;
  return (
    <>
      <h2>Reach</h2>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <p>
          <i className={s.state} data-tone={TONES[data.state]} aria-hidden="true" />{' '}
          <ReachLine eventId={eventId} />
        </p>
      )}
      <ul className={s.items}>
        {data?.missing.map((instance, index) => (
          // Several instances of an application can have the same id.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <li key={index}>
            <span>
              {escapeText(instance.application ?? 'An application that you cannot read')}
              {instance.instance !== null && `, ${escapeText(instance.instance)}`}
            </span>
            <span className="muted">
              {instance.environment}, revision {instance.revision}, last contact{' '}
              <Time at={instance.lastContactAt} />
            </span>
          </li>
        ))}
      </ul>
      {data && data.total > data.missing.length && (
        <p className={s.note}>and {formatCount(data.total - data.missing.length, 'more instance')}</p>
      )}
    </>
  );
}
