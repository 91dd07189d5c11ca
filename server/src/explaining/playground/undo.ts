import type { Dependency } from '../../flags/dependencies/schema.ts';
import type { FeatureStrategy } from '../../flags/feature-environments/schema.ts';
import type { FeatureState } from '../../flags/features/schema.ts';
import type { Variant } from '../../targeting/variants/schema.ts';
import type { Segment } from '../explanation/document.ts';
import type { UndoneEvent } from './store.ts';

/** Why a feature had no result at that time, or none that the events show. */
export type Gap = 'not-created' | 'deleted' | 'archived' | 'moved' | 'environment-changed';

/** A feature while its events are undone, newest first. */
export type Past = { state: FeatureState; gap: Gap | undefined };

type Strategy = Omit<FeatureStrategy, 'featureName'>;
type Undo = (state: FeatureState, event: UndoneEvent) => void;

const environmentOf = ({ environments }: FeatureState, { environment }: UndoneEvent) =>
  environments.find(({ name }) => name === environment);

const toggle =
  (enabled: boolean): Undo =>
  (state, event) => {
    const here = environmentOf(state, event);
    if (here) here.enabled = enabled;
  };

/**
 * Strategies with the same sort order are in the order of their creation. An updated strategy keeps its place. Deleted strategies are
 * put first, in the order in which their events list them.
 */
const restore: Undo = (state, event) => {
  const here = environmentOf(state, event);
  const removed = event.preData as Strategy;
  if (here) here.strategies = [{ ...removed, featureName: state.name }, ...here.strategies];
};

const removeAdded: Undo = (state, event) => {
  const here = environmentOf(state, event);
  if (here) here.strategies = here.strategies.filter(({ id }) => id !== (event.data as Strategy).id);
};

const replaceUpdated: Undo = (state, event) => {
  const here = environmentOf(state, event);
  const before = { ...(event.preData as Strategy), featureName: state.name };
  if (here) here.strategies = here.strategies.map(one => (one.id === before.id ? before : one));
};

const UNDO: Record<string, Undo> = {
  'feature-environment-enabled': toggle(false),
  'feature-environment-disabled': toggle(true),
  'feature-strategy-add': removeAdded,
  'feature-strategy-remove': restore,
  'feature-strategy-update': replaceUpdated,
  'strategy-order-changed': (state, event) => {
    const { strategyIds = [], sortOrders = [] } = event.preData as {
      strategyIds?: string[];
      sortOrders?: number[];
    };
    for (const strategy of environmentOf(state, event)?.strategies ?? [])
      strategy.sortOrder = sortOrders[strategyIds.indexOf(strategy.id)] ?? strategy.sortOrder;
  },
  'feature-environment-variants-updated': (state, event) => {
    const here = environmentOf(state, event);
    if (here) here.variants = (event.preData as { variants?: Variant[] } | null)?.variants ?? [];
  },
  'feature-dependency-added': (state, { data, preData }) => {
    const kept = state.dependencies.filter(({ feature }) => feature !== (data as Dependency | null)?.feature);
    state.dependencies = preData ? [...kept, preData as Dependency] : kept;
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

/** Event types after which the feature's earlier state is unknown. */
const ENDS: Record<string, Gap> = {
  'feature-created': 'not-created',
  'feature-project-change': 'moved',
};

/** The event types that change what SDKs get for a feature. */
export const UNDONE_TYPES = [...Object.keys(UNDO), ...Object.keys(ENDS), 'feature-deleted'];

/** Changes the feature to what it was before the event. */
export function undoEvent(past: Past, event: UndoneEvent): void {
  // The name belonged to a different feature, which no longer exists.
  if (past.gap === 'not-created' && event.type === 'feature-deleted') past.gap = 'deleted';
  if (past.gap !== undefined) return;
  past.gap = ENDS[event.type];
  UNDO[event.type]?.(past.state, event);
}

/** The segments before the events, newest first. */
export function undoSegmentEvents(segments: Map<number, Segment>, events: UndoneEvent[]): void {
  for (const { type, data, preData } of events) {
    const before = preData as Segment | null;
    const after = data as Segment | null;
    if (type === 'segment-created' && after) segments.delete(after.id);
    else if (before) segments.set(before.id, before);
  }
}
