import { useQuery } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { Failure } from '../ui/Failure.tsx';
import type { Tone } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { counted } from '../ui/words.ts';
import s from './events.module.css';
import { reachQuery } from './queries.ts';

export type EventReach = schemas['EventReach'];

const TONES: Record<EventReach['state'], Tone> = {
  live: 'on',
  behind: 'warn',
  unknown: 'off',
  unchanged: 'off',
};

/** The reach in a few words: "3 of 20 instances are behind". */
export function reachWords({ state, environments, total }: EventReach): string {
  const instances = environments.reduce((sum, one) => sum + one.instances, 0);
  if (state === 'live') return 'Live everywhere';
  if (state === 'unchanged') return 'SDKs got nothing from this change.';
  if (state === 'unknown')
    return instances === 0 ? 'No instance of an SDK is known.' : 'Not every instance is known.';
  const unconfirmed = environments.reduce((sum, one) => sum + one.unconfirmed, 0);
  const behind = total - unconfirmed;
  const of = `of ${counted(instances, 'instance')}`;
  const parts = [
    ...(behind > 0 ? [`${behind} ${of} ${behind === 1 ? 'is' : 'are'} behind`] : []),
    ...(unconfirmed > 0 ? [`${unconfirmed} ${of} got it by stream and did not confirm it yet`] : []),
  ];
  return parts.join(', ');
}

/** One line about how far a change has reached. Empty while it is loading, and for changes that SDKs do not notice. */
export function ReachLine({ eventId }: { eventId: number }) {
  const { data } = useQuery(reachQuery(eventId));
  if (!data || data.state === 'unchanged') return null;
  return (
    <>
      {reachWords(data)}
      {data.liveSince !== null && (
        <>
          {' '}
          since <Time at={data.liveSince} />
        </>
      )}
    </>
  );
}

/** How far the change of an event has reached, and the instances that have not presented it. */
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
      <ul className={s.sent}>
        {data?.missing.map((one, at) => (
          // Several instances of an application can have the same id.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <li key={at}>
            <span>
              {one.application ?? 'An application that you cannot read'}
              {one.instance !== null && `, ${one.instance}`}
            </span>
            <span className="muted">
              {one.environment}, revision {one.revision}, last contact <Time at={one.lastContactAt} />
            </span>
          </li>
        ))}
      </ul>
      {data && data.total > data.missing.length && (
        <p className={s.same}>and {counted(data.total - data.missing.length, 'more instance')}</p>
      )}
    </>
  );
}
