import { changesOf } from './diff.ts';
import { BriefDiff } from './FieldDiff.tsx';

/** The change of an event in a few words, if it is short: "rollout 25 → 50 %". */
export function EventBrief({ event: { preData, data } }: { event: { preData?: unknown; data?: unknown } }) {
  return preData && data ? <BriefDiff changes={changesOf(preData, data)} /> : null;
}
