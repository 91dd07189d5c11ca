import { useQuery } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { Time } from '../ui/Time.tsx';
import { counted } from '../ui/words.ts';
import { reachQuery } from './queries.ts';

type EventReach = schemas['EventReach'];

/** The reach in a few words: "3 of 20 instances are behind". */
function reachWords({ state, environments, total }: EventReach): string {
  const instances = environments.reduce((sum, one) => sum + one.instances, 0);
  if (state === 'live') return 'Live everywhere';
  if (state === 'unchanged') return 'This change does not affect SDKs.';
  if (state === 'unknown')
    return instances === 0 ? 'No SDK instances are known.' : 'Not every instance is known.';
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
