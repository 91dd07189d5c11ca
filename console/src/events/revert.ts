import type { QueryClient } from '@tanstack/react-query';
import { toBody, toDraft } from '../features/draft.ts';
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
import { toBody as toSegmentBody, toDraft as toSegmentDraft } from '../segments/draft.ts';
import { type Segment, segmentQuery, updateSegment } from '../segments/queries.ts';
import { computeChanges, describePath } from '../ui/diff.ts';
import { getStrategyLabel } from '../ui/strategy-names.ts';
import type { RevertibleEvent, RevertibleType } from './revertible.ts';

type Fields = Record<string, unknown>;

/**
 * What reverting an event would do: the current state, the target state, and the call that makes the change. A state is null if the
 * subject does not exist in it.
 */
export type RevertPlan = {
  current: Fields | null;
  target: Fields | null;
  notes: readonly string[];
  apply(reason: string): Promise<void>;
};

const isSame = (a: unknown, b: unknown): boolean => computeChanges(a, b).length === 0;

/** Restores the earlier values of the fields that an event changed, and lists the fields that have changed again since. */
export function revertFields<T extends object>(
  stateBefore: T,
  stateAfter: T,
  current: T,
): { target: T; changedFields: (keyof T)[]; overwrittenFields: (keyof T)[] } {
  const changedFields = (Object.keys(current) as (keyof T)[]).filter(
    name => !isSame(stateBefore[name], stateAfter[name]),
  );
  return {
    target: { ...current, ...Object.fromEntries(changedFields.map(name => [name, stateBefore[name]])) },
    changedFields,
    overwrittenFields: changedFields.filter(name => !isSame(current[name], stateAfter[name])),
  };
}

/** Plans to restore the fields that the event changed. `save` receives the target state. */
function planFieldRevert<T extends Fields>(
  { stateBefore, stateAfter, current }: { stateBefore: T; stateAfter: T; current: T },
  save: (target: T, reason: string, changedFields: (keyof T)[]) => Promise<void>,
): RevertPlan {
  const { target, changedFields, overwrittenFields } = revertFields(stateBefore, stateAfter, current);
  return {
    current,
    target,
    notes:
      overwrittenFields.length === 0
        ? []
        : [
            `Changed again since this event, and overwritten if you revert it: ${overwrittenFields.map(field => describePath([String(field)])).join(', ')}.`,
          ],
    apply: reason => save(target, reason, changedFields),
  };
}

/** Reads the current state, and plans how to revert the event. */
export const planRevert = (client: QueryClient, event: RevertibleEvent): Promise<RevertPlan> =>
  PLANS[event.type](event, client);

const toPath = ({ project, featureName, environment }: RevertibleEvent) => ({
  projectId: project ?? '',
  featureName: featureName ?? '',
  environment: environment ?? '',
});

const readFeature = (client: QueryClient, event: RevertibleEvent) =>
  client.fetchQuery({ ...settingsQuery(toPath(event)), staleTime: 0 });

type Planner = (event: RevertibleEvent, client: QueryClient) => Promise<RevertPlan>;

const planToggle: Planner = async (event, client) => {
  const path = toPath(event);
  const enabled = event.type === 'feature-environment-disabled';
  const { environment, etag } = await readEnvironment(path);
  return {
    current: { enabled: environment.enabled },
    target: { enabled },
    notes:
      enabled && environment.strategies.length === 0
        ? ['The flag has no strategy here, so enabling it adds the default strategy.']
        : [],
    apply: reason => setEnabled(client, path, enabled, { etag, reason }),
  };
};

const planStale: Planner = async (event, client) => {
  const { feature, etag } = await readFeature(client, event);
  const target = { stale: event.type === 'feature-stale-off' };
  return {
    current: { stale: feature.stale },
    target,
    notes: [],
    apply: reason => updateFeature(toPath(event), target, { etag, reason }),
  };
};

const planArchiving: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const isArchiving = event.type === 'feature-revived';
  return {
    current: { archived: feature.archived },
    target: { archived: isArchiving },
    notes: isArchiving ? [] : ['The flag will be disabled in every environment.'],
    apply: reason =>
      isArchiving ? archiveFeature(toPath(event), reason) : reviveFeature(toPath(event), reason),
  };
};

const planTag: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const { type, value } = (event.data ?? event.preData) as Tag;
  const isAdding = event.type === 'feature-untagged';
  const tagNames = feature.tags.map(tag => `${tag.type}:${tag.value}`);
  const tagName = `${type}:${value}`;
  const otherNames = tagNames.filter(name => name !== tagName);
  const tags = [{ type, value }];
  return {
    current: { tags: tagNames },
    target: {
      tags: !isAdding ? otherNames : tagNames.includes(tagName) ? tagNames : [...tagNames, tagName],
    },
    notes: [],
    apply: reason =>
      changeTags(
        toPath(event),
        isAdding ? { addedTags: tags, removedTags: [] } : { addedTags: [], removedTags: tags },
        reason,
      ),
  };
};

const planDependency: Planner = async (event, client) => {
  const { feature } = await readFeature(client, event);
  const { feature: parent } = (event.data ?? event.preData) as Dependency;
  const previousDependency = event.preData as Dependency | null;
  const currentDependency = feature.dependencies.find(dependency => dependency.feature === parent);
  return {
    current: currentDependency ?? null,
    target: previousDependency,
    notes: [],
    apply: reason =>
      previousDependency
        ? setParent(toPath(event), previousDependency, reason)
        : deleteParent({ ...toPath(event), parent }, reason),
  };
};

// An old event's data may lack fields that the API has today, but the server validates whatever the console sends.
const PLANS: Record<RevertibleType, Planner> = {
  'feature-environment-enabled': planToggle,
  'feature-environment-disabled': planToggle,
  'feature-stale-on': planStale,
  'feature-stale-off': planStale,
  'feature-archived': planArchiving,
  'feature-revived': planArchiving,
  'feature-tagged': planTag,
  'feature-untagged': planTag,
  'feature-dependency-added': planDependency,
  'feature-dependency-removed': planDependency,
  'feature-strategy-add': async event => {
    const path = { ...toPath(event), strategyId: String(event.data?.id) };
    const { environment } = await readEnvironment(path);
    const strategy = environment.strategies.find(({ id }) => id === path.strategyId);
    return {
      current: strategy ? toDraft(strategy) : null,
      target: null,
      notes:
        strategy && environment.enabled && environment.strategies.length === 1
          ? ['This is the last strategy here, so the flag is also disabled.']
          : [],
      apply: reason => deleteStrategy(path, reason),
    };
  },
  'feature-strategy-update': async event => {
    const path = { ...toPath(event), strategyId: String(event.data?.id) };
    const { strategy, etag } = await readStrategy(path);
    return planFieldRevert(
      {
        stateBefore: toDraft(event.preData as Strategy),
        stateAfter: toDraft(event.data as Strategy),
        current: toDraft(strategy),
      },
      (target, reason) =>
        saveStrategy(path, { ...toBody(target), sortOrder: strategy.sortOrder }, etag, reason),
    );
  },
  'feature-strategy-remove': async event => {
    const strategy = toDraft(event.preData as Strategy);
    return {
      current: null,
      target: strategy,
      notes: ['The strategy gets a new id.'],
      apply: reason =>
        addStrategy(
          toPath(event),
          { ...toBody(strategy), sortOrder: (event.preData as Strategy).sortOrder },
          reason,
        ),
    };
  },
  'strategy-order-changed': async event => {
    const { environment } = await readEnvironment(toPath(event));
    const currentIds = environment.strategies.map(({ id }) => id);
    const previousIds = (event.preData as { strategyIds: string[] }).strategyIds;
    const targetIds = [
      ...previousIds.filter(id => currentIds.includes(id)),
      // Strategies that were added since the event stay at the end.
      ...currentIds.filter(id => !previousIds.includes(id)),
    ];
    const listTitles = (ids: readonly string[]) =>
      ids.map(id => {
        const strategy = environment.strategies.find(candidate => candidate.id === id);
        return strategy?.title || `${getStrategyLabel(strategy?.name ?? '')} ${id.slice(0, 8)}`;
      });
    return {
      current: { strategies: listTitles(currentIds) },
      target: { strategies: listTitles(targetIds) },
      notes: [],
      apply: reason => orderStrategies(toPath(event), targetIds, reason),
    };
  },
  'feature-environment-variants-updated': async event => {
    const { environment, etag } = await readEnvironment(toPath(event));
    type Variants = Feature['variants'];
    return planFieldRevert(
      {
        stateBefore: event.preData as { variants: Variants },
        stateAfter: event.data as { variants: Variants },
        current: { variants: environment.variants ?? [] },
      },
      ({ variants }, reason) => replaceVariants(toPath(event), variants, etag, reason),
    );
  },
  'feature-metadata-updated': async (event, client) => {
    const { feature, etag } = await readFeature(client, event);
    const pickFields = ({ type, description, impressionData }: Feature) => ({
      type,
      description: description ?? '',
      impressionData,
    });
    return planFieldRevert(
      {
        stateBefore: pickFields(event.preData as Feature),
        stateAfter: pickFields(event.data as Feature),
        current: pickFields(feature),
      },
      (target, reason) =>
        updateFeature(
          toPath(event),
          { ...target, description: target.description || null },
          { etag, reason },
        ),
    );
  },
  'default-strategy-updated': async (event, client) => {
    const path = toPath(event);
    const { environment, etag } = await client.fetchQuery({ ...environmentQuery(path), staleTime: 0 });
    const target = toDraft(event.preData as Strategy);
    return {
      current: environment.defaultStrategy ? toDraft({ title: '', ...environment.defaultStrategy }) : null,
      target,
      notes: [],
      apply: reason =>
        saveDefaultStrategy(
          path,
          { ...toBody(target), sortOrder: (event.preData as Strategy).sortOrder },
          etag,
          reason,
        ),
    };
  },
  'project-updated': async (event, client) => {
    const { projectId } = toPath(event);
    const { project, etag } = await readProject(client, projectId);
    const pickFields = ({ name, description, mode, defaultStickiness, ...rest }: typeof project) => ({
      name,
      description,
      mode,
      defaultStickiness,
      featureLimit: rest.featureLimit,
      debtBudget: rest.debtBudget,
      requireComment: rest.requireComment,
      featureNaming: rest.featureNaming,
    });
    return planFieldRevert(
      {
        stateBefore: pickFields(event.preData as typeof project),
        stateAfter: pickFields(event.data as typeof project),
        current: pickFields(project),
      },
      // An event comes from updateProject or updateSettings, and has the fields of only that operation.
      ({ name, description, ...settings }, reason, changedFields) => {
        const { mode, defaultStickiness } = settings;
        return changedFields.some(field => field === 'name' || field === 'description')
          ? updateProject(projectId, { name, description, mode, defaultStickiness }, etag, reason)
          : updateSettings(projectId, settings, etag, reason);
      },
    );
  },
  'segment-updated': async (event, client) => {
    const id = Number(event.data?.id);
    const { segment, etag } = await client.fetchQuery({ ...segmentQuery(String(id)), staleTime: 0 });
    return planFieldRevert(
      {
        stateBefore: toSegmentDraft(event.preData as Segment),
        stateAfter: toSegmentDraft(event.data as Segment),
        current: toSegmentDraft(segment),
      },
      (target, reason) => updateSegment(id, toSegmentBody(target), etag, reason),
    );
  },
};
