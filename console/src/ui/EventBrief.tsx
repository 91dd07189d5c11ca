import { type Change, computeChanges } from './diff.ts';
import { BriefDiff } from './FieldDiff.tsx';

/** The change of an event in a few words, if it is short and not already in the event's sentence: "plan +team". */
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
