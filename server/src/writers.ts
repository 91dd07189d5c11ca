import { FILTERED_BY_TEXT, INSERT_DELIVERIES } from './delivery/outbox.ts';
import { INSERT_COLLABORATORS } from './flags/feature-rows/collaborators.ts';
import { selectTags } from './flags/feature-rows/tags.ts';
import { PROJECT_REQUIRING_COMMENT } from './flags/projects/required-comment.ts';
import { publishDocuments } from './publishing/projection/publish.ts';
import { findRaisedRollout } from './publishing/projection/raised-rollout.ts';
import type { Writers } from './record/change-writers.ts';

/** Everything that a change writes besides its events. */
export const WRITERS: Writers = {
  events: [INSERT_COLLABORATORS, INSERT_DELIVERIES],
  requiringComment: PROJECT_REQUIRING_COMMENT,
  selectTags,
  readsText: FILTERED_BY_TEXT,
  raisedRollout: findRaisedRollout,
  publish: publishDocuments,
};
