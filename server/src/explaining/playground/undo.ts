import type { Dependency } from '../../flags/dependencies/schema.ts';
import type { FeatureStrategy } from '../../flags/feature-environments/schema.ts';
import type { FeatureState } from '../../flags/features/schema.ts';
import type { Variant } from '../../targeting/variants/schema.ts';
import type { Segment } from '../explanation/document.ts';
import type { EventToUndo } from './store.ts';

/** Why a feature had no result at a past time, or why the result cannot be derived from the events. */
export type MissingReason = 'not-created' | 'deleted' | 'archived' | 'moved' | 'environment-changed';

/** A feature while its events are undone, newest first. */
export type PastState = { state: FeatureState; gap: MissingReason | undefined };

type Strategy = Omit<FeatureStrategy, 'featureName'>;
type Undo = (state: FeatureState, event: EventToUndo) => void;

const findEnvironment = ({ environments }: FeatureState, { environment }: EventToUndo) =>
  environments.find(({ name }) => name === environment);

const toggle =
  (enabled: boolean): Undo =>
  (state, event) => {
    const environment = findEnvironment(state, event);
    if (environment) environment.enabled = enabled;
  };

/**
 * Restores a deleted strategy at the front. The position matters only among strategies with the same sort order: they stay in
 * creation order, preceded by the restored strategies in the order of their deletion.
 */
const restoreRemoved: Undo = (state, event) => {
  const environment = findEnvironment(state, event);
  const removedStrategy = event.preData as Strategy;
  if (environment)
    environment.strategies = [{ ...removedStrategy, featureName: state.name }, ...environment.strategies];
};

const removeAdded: Undo = (state, event) => {
  const environment = findEnvironment(state, event);
  if (environment)
    environment.strategies = environment.strategies.filter(({ id }) => id !== (event.data as Strategy).id);
};

const replaceUpdated: Undo = (state, event) => {
  const environment = findEnvironment(state, event);
  const previousStrategy = { ...(event.preData as Strategy), featureName: state.name };
  if (environment)
    environment.strategies = environment.strategies.map(strategy =>
      strategy.id === previousStrategy.id ? previousStrategy : strategy,
    );
};

const UNDO_BY_TYPE: Record<string, Undo> = {
  'feature-environment-enabled': toggle(false),
  'feature-environment-disabled': toggle(true),
  'feature-strategy-add': removeAdded,
  'feature-strategy-remove': restoreRemoved,
  'feature-strategy-update': replaceUpdated,
  'strategy-order-changed': (state, event) => {
    const { strategyIds = [], sortOrders = [] } = event.preData as {
      strategyIds?: string[];
      sortOrders?: number[];
    };
    for (const strategy of findEnvironment(state, event)?.strategies ?? [])
      strategy.sortOrder = sortOrders[strategyIds.indexOf(strategy.id)] ?? strategy.sortOrder;
  },
  'feature-environment-variants-updated': (state, event) => {
    const environment = findEnvironment(state, event);
    if (environment)
      environment.variants = (event.preData as { variants?: Variant[] } | null)?.variants ?? [];
  },
  'feature-dependency-added': (state, { data, preData }) => {
    const otherDependencies = state.dependencies.filter(
      ({ feature }) => feature !== (data as Dependency | null)?.feature,
    );
    state.dependencies = preData ? [...otherDependencies, preData as Dependency] : otherDependencies;
  },
  'feature-dependency-removed': (state, { preData }) => {
    state.dependencies = [...state.dependencies, preData as Dependency];
  },
  'feature-dependencies-removed': (state, { preData }) => {
    state.dependencies = (preData as { dependencies?: Dependency[] } | null)?.dependencies ?? [];
  },
  'feature-archived': state => {
    state.archived = false;
  },
  'feature-revived': state => {
    state.archived = true;
  },
};

/** Event types before which the feature did not exist or its state is unknown. */
const GAP_BY_TYPE: Record<string, MissingReason> = {
  'feature-created': 'not-created',
  'feature-project-change': 'moved',
};

/** The event types that change what SDKs get for a feature. */
export const UNDOABLE_EVENT_TYPES = [
  ...Object.keys(UNDO_BY_TYPE),
  ...Object.keys(GAP_BY_TYPE),
  'feature-deleted',
];

/** Restores the feature to its state before the event. */
export function undoEvent(past: PastState, event: EventToUndo): void {
  // Before this event, the name belonged to an earlier feature, which the event deleted.
  if (past.gap === 'not-created' && event.type === 'feature-deleted') past.gap = 'deleted';
  if (past.gap !== undefined) return;
  past.gap = GAP_BY_TYPE[event.type];
  UNDO_BY_TYPE[event.type]?.(past.state, event);
}

/** Restores the segments to their state before the events, which must be sorted newest first. */
export function undoSegmentEvents(segments: Map<number, Segment>, events: EventToUndo[]): void {
  for (const { type, data, preData } of events) {
    const previousSegment = preData as Segment | null;
    const newSegment = data as Segment | null;
    if (type === 'segment-created' && newSegment) segments.delete(newSegment.id);
    else if (previousSegment) segments.set(previousSegment.id, previousSegment);
  }
}
