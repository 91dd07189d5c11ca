import type { QueryClient } from '@tanstack/react-query';
import { bodyOf, draftOf } from '../features/draft.ts';
import {
  addStrategy,
  archiveFeature,
  changeTags,
  type Dependency,
  deleteParent,
  deleteStrategy,
  type Feature,
  orderStrategies,
  readEnvironment,
  readStrategy,
  replaceVariants,
  reviveFeature,
  type Strategy,
  saveStrategy,
  setEnabled,
  setParent,
  settingsQuery,
  type Tag,
  updateFeature,
} from '../features/queries.ts';
import {
  environmentQuery,
  readProject,
  saveDefaultStrategy,
  updateProject,
  updateSettings,
} from '../projects/settings/queries.ts';
import { bodyOf as segmentBodyOf, draftOf as segmentDraftOf } from '../segments/draft.ts';
import { type Segment, segmentQuery, updateSegment } from '../segments/queries.ts';
import { changesOf } from '../ui/diff.ts';
import type { RevertibleEvent, RevertibleType } from './revertible.ts';

/** What reverting an event does now: the present state, the state afterwards, and how to get there. */
export type RevertPlan = {
  now: object;
  reverted: object;
  notes: readonly string[];
  apply(reason: string): Promise<void>;
};

const isSame = (one: unknown, other: unknown): boolean => changesOf(one, other).length === 0;

/** The present state with the fields that an event changed as they were before it, and those that somebody has changed since. */
export function putBack<T extends object>(
  before: T,
  after: T,
  now: T,
): { reverted: T; changed: (keyof T)[]; overwritten: (keyof T)[] } {
  const changed = (Object.keys(now) as (keyof T)[]).filter(name => !isSame(before[name], after[name]));
  return {
    reverted: { ...now, ...Object.fromEntries(changed.map(name => [name, before[name]])) },
    changed,
    overwritten: changed.filter(name => !isSame(now[name], after[name])),
  };
}

/** The plan to put the fields back that the event changed. `save` gets the reverted state. */
function planOf<T extends object>(
  { before, after, now }: { before: T; after: T; now: T },
  save: (reverted: T, reason: string, changed: (keyof T)[]) => Promise<void>,
): RevertPlan {
  const { reverted, changed, overwritten } = putBack(before, after, now);
  return {
    now,
    reverted,
    notes:
      overwritten.length === 0
        ? []
        : [`Changed again since this event, and overwritten if you revert it: ${overwritten.join(', ')}.`],
    apply: reason => save(reverted, reason, changed),
  };
}

/** Reads the present state of what the event changed. */
export const planRevert = (client: QueryClient, event: RevertibleEvent): Promise<RevertPlan> =>
  PLANS[event.type](event, client);

const placeOf = ({ project, featureName, environment }: RevertibleEvent) => ({
  projectId: project ?? '',
  featureName: featureName ?? '',
  environment: environment ?? '',
});

const readFeature = (client: QueryClient, event: RevertibleEvent) =>
  client.fetchQuery({ ...settingsQuery(placeOf(event)), staleTime: 0 });

type Planner = (event: RevertibleEvent, client: QueryClient) => Promise<RevertPlan>;

const toggled: Planner = async (event, client) => {
  const place = placeOf(event);
  const enabled = event.type === 'feature-environment-disabled';
  const { environment, etag } = await readEnvironment(place);
  return {
    now: { enabled: environment.enabled },
    reverted: { enabled },
    notes:
      enabled && environment.strategies.length === 0
        ? ['The flag has no strategy here, so enabling it adds the default strategy.']
        : [],
    apply: reason => setEnabled(client, place, enabled, { etag, reason }),
  };
};

const stale: Planner = async (event, client) => {
  const { feature, etag } = await readFeature(client, event);
  const reverted = { stale: event.type === 'feature-stale-off' };
  return {
    now: { stale: feature.stale },
    reverted,
    notes: [],
    apply: reason => updateFeature(placeOf(event), reverted, { etag, reason }),
  };
};

const archived: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const isArchiving = event.type === 'feature-revived';
  return {
    now: { archived: feature.archived },
    reverted: { archived: isArchiving },
    notes: isArchiving ? [] : ['The flag is then disabled in every environment.'],
    apply: reason =>
      isArchiving ? archiveFeature(placeOf(event), reason) : reviveFeature(placeOf(event), reason),
  };
};

const tagged: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const { type, value } = (event.data ?? event.preData) as Tag;
  const isAdding = event.type === 'feature-untagged';
  const names = feature.tags.map(tag => `${tag.type}:${tag.value}`);
  const name = `${type}:${value}`;
  const rest = names.filter(one => one !== name);
  const tags = [{ type, value }];
  return {
    now: { tags: names },
    reverted: { tags: !isAdding ? rest : names.includes(name) ? names : [...names, name] },
    notes: [],
    apply: reason =>
      changeTags(
        placeOf(event),
        isAdding ? { addedTags: tags, removedTags: [] } : { addedTags: [], removedTags: tags },
        reason,
      ),
  };
};

const depended: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const { feature: parent } = (event.data ?? event.preData) as Dependency;
  const before = event.preData as Dependency | null;
  const now = feature.dependencies.find(one => one.feature === parent);
  return {
    now: { parent: now },
    reverted: { parent: before ?? undefined },
    notes: [],
    apply: reason =>
      before
        ? setParent(placeOf(event), before, reason)
        : deleteParent({ ...placeOf(event), parent }, reason),
  };
};

// The data of an event has the fields that the API had when it was recorded. The server validates what is sent back to it.
const PLANS: Record<RevertibleType, Planner> = {
  'feature-environment-enabled': toggled,
  'feature-environment-disabled': toggled,
  'feature-stale-on': stale,
  'feature-stale-off': stale,
  'feature-archived': archived,
  'feature-revived': archived,
  'feature-tagged': tagged,
  'feature-untagged': tagged,
  'feature-dependency-added': depended,
  'feature-dependency-removed': depended,
  'feature-strategy-add': async event => {
    const place = { ...placeOf(event), strategyId: String(event.data?.id) };
    const { environment } = await readEnvironment(place);
    const strategy = environment.strategies.find(({ id }) => id === place.strategyId);
    return {
      now: { strategy: strategy && draftOf(strategy) },
      reverted: {},
      notes:
        strategy && environment.enabled && environment.strategies.length === 1
          ? ['It is the last strategy here, so the flag is disabled too.']
          : [],
      apply: reason => deleteStrategy(place, reason),
    };
  },
  'feature-strategy-update': async event => {
    const place = { ...placeOf(event), strategyId: String(event.data?.id) };
    const { strategy, etag } = await readStrategy(place);
    return planOf(
      {
        before: draftOf(event.preData as Strategy),
        after: draftOf(event.data as Strategy),
        now: draftOf(strategy),
      },
      (reverted, reason) =>
        saveStrategy(place, { ...bodyOf(reverted), sortOrder: strategy.sortOrder }, etag, reason),
    );
  },
  'feature-strategy-remove': async event => {
    const reverted = draftOf(event.preData as Strategy);
    return {
      now: {},
      reverted: { strategy: reverted },
      notes: ['The strategy gets a new id.'],
      apply: reason =>
        addStrategy(
          placeOf(event),
          { ...bodyOf(reverted), sortOrder: (event.preData as Strategy).sortOrder },
          reason,
        ),
    };
  },
  'strategy-order-changed': async event => {
    const { environment } = await readEnvironment(placeOf(event));
    const now = environment.strategies.map(({ id }) => id);
    const before = (event.preData as { strategyIds: string[] }).strategyIds;
    const reverted = [
      ...before.filter(id => now.includes(id)),
      // Strategies that were added since stay at the end.
      ...now.filter(id => !before.includes(id)),
    ];
    const named = (ids: readonly string[]) =>
      ids.map(id => {
        const strategy = environment.strategies.find(one => one.id === id);
        return strategy?.title || `${strategy?.name} ${id.slice(0, 8)}`;
      });
    return {
      now: { strategies: named(now) },
      reverted: { strategies: named(reverted) },
      notes: [],
      apply: reason => orderStrategies(placeOf(event), reverted, reason),
    };
  },
  'feature-environment-variants-updated': async event => {
    const { environment, etag } = await readEnvironment(placeOf(event));
    type Variants = Feature['variants'];
    return planOf(
      {
        before: event.preData as { variants: Variants },
        after: event.data as { variants: Variants },
        now: { variants: environment.variants ?? [] },
      },
      ({ variants }, reason) => replaceVariants(placeOf(event), variants, etag, reason),
    );
  },
  'feature-metadata-updated': async (event, client) => {
    const { feature, etag } = await readFeature(client, event);
    const fieldsOf = ({ type, description, impressionData }: Feature) => ({
      type,
      description: description ?? '',
      impressionData,
    });
    return planOf(
      {
        before: fieldsOf(event.preData as Feature),
        after: fieldsOf(event.data as Feature),
        now: fieldsOf(feature),
      },
      (reverted, reason) =>
        updateFeature(
          placeOf(event),
          { ...reverted, description: reverted.description || null },
          { etag, reason },
        ),
    );
  },
  'default-strategy-updated': async (event, client) => {
    const place = placeOf(event);
    const { environment, etag } = await client.fetchQuery({ ...environmentQuery(place), staleTime: 0 });
    const reverted = draftOf(event.preData as Strategy);
    return {
      now: environment.defaultStrategy ? draftOf({ title: '', ...environment.defaultStrategy }) : {},
      reverted,
      notes: [],
      apply: reason =>
        saveDefaultStrategy(
          place,
          { ...bodyOf(reverted), sortOrder: (event.preData as Strategy).sortOrder },
          etag,
          reason,
        ),
    };
  },
  'project-updated': async (event, client) => {
    const { projectId } = placeOf(event);
    const { project, etag } = await readProject(client, projectId);
    const fieldsOf = ({ name, description, mode, defaultStickiness, ...rest }: typeof project) => ({
      name,
      description,
      mode,
      defaultStickiness,
      featureLimit: rest.featureLimit,
      debtBudget: rest.debtBudget,
      requireComment: rest.requireComment,
      featureNaming: rest.featureNaming,
    });
    return planOf(
      {
        before: fieldsOf(event.preData as typeof project),
        after: fieldsOf(event.data as typeof project),
        now: fieldsOf(project),
      },
      // An event is of one of the two operations.
      ({ name, description, ...settings }, reason, changed) => {
        const { mode, defaultStickiness } = settings;
        return changed.some(field => field === 'name' || field === 'description')
          ? updateProject(projectId, { name, description, mode, defaultStickiness }, etag, reason)
          : updateSettings(projectId, settings, etag, reason);
      },
    );
  },
  'segment-updated': async (event, client) => {
    const id = Number(event.data?.id);
    const { segment, etag } = await client.fetchQuery({ ...segmentQuery(String(id)), staleTime: 0 });
    return planOf(
      {
        before: segmentDraftOf(event.preData as Segment),
        after: segmentDraftOf(event.data as Segment),
        now: segmentDraftOf(segment),
      },
      (reverted, reason) => updateSegment(id, segmentBodyOf(reverted), etag, reason),
    );
  },
};
