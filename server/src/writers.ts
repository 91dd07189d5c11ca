import { DELIVERIES_OF_WRITTEN, FILTERED_BY_TEXT } from './delivery/outbox.ts';
import { COLLABORATORS_OF_WRITTEN } from './flags/feature-rows/collaborators.ts';
import { tagsOf } from './flags/feature-rows/tags.ts';
import { PROJECT_REQUIRING_COMMENT } from './flags/projects/required-comment.ts';
import { publishDocuments } from './publishing/projection/publish.ts';
import { findRaisedRollout } from './publishing/projection/raised-rollout.ts';
import type { Writers } from './record/change-writers.ts';

/** Everything that a change writes besides its events. */
export const WRITERS: Writers = {
  events: [COLLABORATORS_OF_WRITTEN, DELIVERIES_OF_WRITTEN],
  requiringComment: PROJECT_REQUIRING_COMMENT,
  tagsOf,
  readsText: FILTERED_BY_TEXT,
  raisedRollout: findRaisedRollout,
  publish: publishDocuments,
};
