import type { OperationId } from '../api/can.ts';
import type { Event } from './queries.ts';

/** The operation that reverts an event, by event type. */
const REVERTING_OPERATIONS = {
  'feature-environment-enabled': 'disableFeature',
  'feature-environment-disabled': 'enableFeature',
  'feature-strategy-add': 'deleteFeatureStrategy',
  'feature-strategy-update': 'updateFeatureStrategy',
  'feature-strategy-remove': 'addFeatureStrategy',
  'strategy-order-changed': 'orderFeatureStrategies',
  'feature-environment-variants-updated': 'updateVariants',
  'feature-metadata-updated': 'updateFeature',
  'feature-stale-on': 'updateFeature',
  'feature-stale-off': 'updateFeature',
  'feature-archived': 'reviveFeature',
  'feature-revived': 'archiveFeature',
  'feature-tagged': 'changeFeatureTags',
  'feature-untagged': 'changeFeatureTags',
  'feature-dependency-added': 'deleteFeatureDependency',
  'feature-dependency-removed': 'addFeatureDependency',
  'default-strategy-updated': 'updateDefaultStrategy',
  'project-updated': 'updateProject',
  'segment-updated': 'updateSegment',
} as const satisfies Record<string, OperationId>;

export type RevertibleType = keyof typeof REVERTING_OPERATIONS;
export type RevertibleEvent = Event & { type: RevertibleType };

/** Whether the console can revert the event. Unleash and older servers recorded some events without the necessary data. */
export function isRevertible(event: Event): event is RevertibleEvent {
  if (!Object.hasOwn(REVERTING_OPERATIONS, event.type) || event.importedFrom) return false;
  const { type, project, featureName, environment, preData, data } = event;
  if (type === 'segment-updated') return Boolean(preData && data);
  if (project === null) return false;
  if (type === 'project-updated') return Boolean(preData && data);
  if (type === 'default-strategy-updated') return environment !== null && preData !== null;
  if (featureName === null) return false;
  if (/-strategy-|-order-|-environment-/.test(type) && environment === null) return false;
  if (/updated?$|-changed$/.test(type)) return Boolean(preData && data);
  if (/-remove$|-removed$|-untagged$/.test(type)) return preData !== null;
  return !/-add$|-added$|-tagged$/.test(type) || data !== null;
}

/** Returns the operation that reverts the event, and the event's scope, so that a control can check the permission. */
export function getRevertCall({ type, project, environment }: RevertibleEvent): {
  call: OperationId;
  project?: string;
  environment?: string;
} {
  return {
    call:
      type === 'segment-updated' && project !== null ? 'updateProjectSegment' : REVERTING_OPERATIONS[type],
    ...(project !== null && { project }),
    ...(environment !== null && { environment }),
  };
}
