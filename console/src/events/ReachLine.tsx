import { useQuery } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { reachQuery } from './queries.ts';

type EventReach = schemas['EventReach'];

/** Describes the reach in a few words, such as "3 of 20 instances are behind". */
function describeReach({ state, environments, total }: EventReach): string {
  const instanceCount = environments.reduce((sum, { instances }) => sum + instances, 0);
  if (state === 'live') return 'Live everywhere';
  if (state === 'unchanged') return 'This change does not affect SDKs.';
  if (state === 'unknown')
    return instanceCount === 0
      ? 'No SDK instance has reported which changes it has.'
      : 'Not every instance is known.';
  const unconfirmedCount = environments.reduce((sum, { unconfirmed }) => sum + unconfirmed, 0);
  const behindCount = total - unconfirmedCount;
  const ofInstances = `of ${formatCount(instanceCount, 'instance')}`;
  const parts = [
    ...(behindCount > 0 ? [`${behindCount} ${ofInstances} ${behindCount === 1 ? 'is' : 'are'} behind`] : []),
    ...(unconfirmedCount > 0
      ? [`${unconfirmedCount} ${ofInstances} received it by stream without confirming it yet`]
      : []),
  ];
  return parts.join(', ');
}

/** Says in one line how far a change has reached. Shows nothing while it loads, and for changes that do not affect SDKs. */
export function ReachLine({
  eventId,
  brief = false,
}: {
  eventId: number;
  /** Shows nothing while no SDK instances are known. */
  brief?: boolean;
}) {
  const { data } = useQuery(reachQuery(eventId));
  if (!data || data.state === 'unchanged') return null;
  if (brief && data.environments.every(({ instances }) => instances === 0)) return null;
  return (
    <>
      {describeReach(data)}
      {data.liveSince !== null && (
        <>
          {' '}
          <Time at={data.liveSince} format="since" />
        </>
      )}
    </>
  );
}
