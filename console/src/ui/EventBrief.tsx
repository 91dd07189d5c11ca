import { BriefDiff } from './BriefDiff.tsx';
import { type Change, computeChanges } from './diff.ts';

/** An event's change in a few words, such as "plan +team", unless it is long or already in the event's sentence. */
export function EventBrief({
  event: { preData, data, summary },
}: {
  event: { preData?: unknown; data?: unknown; summary: string };
}) {
  if (!preData || !data) return null;
  const isInSentence = ({ path }: Change) =>
    (path[0] === 'parameters' && summary.includes(`**${path.at(-1)} `)) ||
    (path[0] === 'roles' && summary.includes(' from **'));
  return <BriefDiff changes={computeChanges(preData, data).filter(change => !isInSentence(change))} />;
}
