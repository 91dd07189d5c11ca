import { makeEtag } from '../../platform/http/output/etag.ts';
import type { Change } from '../../record/change.ts';
import type { Segment } from './schema.ts';
import { lockSegment, type SegmentRow } from './store.ts';

/** Returns the content without the usage counts, which change with strategies. */
const getContent = ({ id, name, description, constraints, project }: SegmentRow) => ({
  id,
  name,
  description,
  constraints,
  project,
});

export const segmentEtag = (segment: Segment): string => makeEtag(getContent(segment), segment);

/** Locks the segment and returns its ETag. The list is empty if the segment does not exist or the actor cannot read it. */
export async function lockSegmentEtag({ tx, actor }: Change, id: number): Promise<string[]> {
  const segment = await lockSegment(tx, actor, id);
  return segment ? [makeEtag(getContent(segment))] : [];
}
