import { SourceError } from '../../reading/source-error.ts';
import { type Api, encode, forEachConcurrently } from './api-client.ts';
import {
  isObject,
  type Json,
  listObjects,
  type StrategyRow,
  toFeatureRow,
  toStrategyRow,
} from './api-rows.ts';
import type { SourceRow } from './source.ts';

// Reads the configuration of flags. Since version 5, Unleash exports selected flags in one environment. Version 4 has a single export
// of everything.

const FEATURES_PER_EXPORT = 500;

export type ExportedTables = {
  features: Map<string, SourceRow>;
  strategies: StrategyRow[];
  environments: SourceRow[];
  feature_tag: Map<string, SourceRow>;
  feature_link: Map<string, SourceRow>;
  dependent_features: Map<string, SourceRow>;
};

export const emptyExport = (): ExportedTables => ({
  features: new Map(),
  strategies: [],
  environments: [],
  feature_tag: new Map(),
  feature_link: new Map(),
  dependent_features: new Map(),
});

/** Returns an export of everything if Unleash has version 4, which cannot export individual features, and undefined otherwise. */
export async function readFullExport(api: Api): Promise<Json | undefined> {
  const probe = await api.post('features-batch/export', {
    environment: 'default',
    features: [],
    downloadFile: false,
  });
  if (probe !== undefined) return undefined;
  const state = await api.read('state/export?format=json');
  if (
    !isObject(state) ||
    !['features', 'featureStrategies', 'featureEnvironments'].every(list => Array.isArray(state[list]))
  )
    throw new SourceError('Unleash responded to GET /api/admin/state/export without flags. Check the URL.');
  return state;
}

export async function readExports(
  api: Api,
  environments: string[],
  listedFeatures: Json[],
  tables: ExportedTables,
): Promise<void> {
  const names = listedFeatures.map(({ name }) => String(name));
  const enabledStates = collectEnabledStates(listedFeatures);
  for (const environment of environments)
    for (let index = 0; index < names.length; index += FEATURES_PER_EXPORT) {
      const features = names.slice(index, index + FEATURES_PER_EXPORT);
      const body = await api.post('features-batch/export', { environment, features, downloadFile: false });
      addExport(body, environment, enabledStates, tables);
      const exportedNames = new Set(listObjects(body, 'features').map(({ name }) => name));
      for (const name of features) if (!exportedNames.has(name)) markUnreadable(tables, name);
    }
}

/** Marks a flag whose strategies cannot be read, because a flag without its strategies would behave differently. */
function markUnreadable({ features }: ExportedTables, name: string): void {
  const feature = features.get(name);
  if (feature) feature.unreadable = 'Unleash lists it, but does not return its configuration';
}

/** Returns whether each flag is enabled, by flag and environment. */
const collectEnabledStates = (listedFeatures: Json[]): Map<string, boolean> =>
  new Map(
    listedFeatures.flatMap(feature =>
      listObjects(feature, 'environments').map(environment => [
        toKey(feature.name, environment.name),
        environment.enabled === true,
      ]),
    ),
  );

const toKey = (feature: unknown, environment: unknown): string => JSON.stringify([feature, environment]);

function addExport(
  body: unknown,
  environment: string,
  enabledStates: ReadonlyMap<string, boolean>,
  tables: ExportedTables,
): void {
  for (const feature of listObjects(body, 'features')) {
    const name = String(feature.name);
    tables.features.set(name, { ...tables.features.get(name), ...withoutNulls(toFeatureRow(feature)) });
  }
  for (const strategy of listObjects(body, 'featureStrategies'))
    tables.strategies.push(toStrategyRow({ ...strategy, environment }));
  // Exports from Unleash 6.10 say that every flag is enabled. The project's flag list is correct in every version.
  const featureEnvironments: Json[] = listObjects(body, 'featureEnvironments').map(item => ({
    ...item,
    enabled: enabledStates.get(toKey(item.featureName, item.environment)),
  }));
  for (const featureEnvironment of featureEnvironments)
    if (featureEnvironment.enabled === undefined)
      markUnreadable(tables, String(featureEnvironment.featureName));
  addEnvironments(featureEnvironments, tables);
  addTags(listObjects(body, 'featureTags'), tables);
  for (const { feature, dependencies } of listObjects(body, 'dependencies'))
    for (const parent of listObjects(dependencies))
      tables.dependent_features.set(`${feature} ${parent.feature}`, {
        child: feature,
        parent: parent.feature,
        enabled: parent.enabled !== false,
        variants: parent.variants ?? [],
      });
  for (const { feature, links } of listObjects(body, 'links'))
    for (const { id, url, title } of listObjects(links))
      tables.feature_link.set(String(id), { id, feature_name: feature, url, title });
}

export async function addState(api: Api, state: Json, tables: ExportedTables): Promise<void> {
  for (const feature of listObjects(state, 'features'))
    if (feature.archived !== true) tables.features.set(String(feature.name), toFeatureRow(feature));
  const segments = Map.groupBy(listObjects(state, 'featureStrategySegments'), segment =>
    String(segment.featureStrategyId),
  );
  for (const strategy of listObjects(state, 'featureStrategies'))
    tables.strategies.push(
      toStrategyRow({
        ...strategy,
        name: strategy.strategyName,
        segments: (segments.get(String(strategy.id)) ?? []).map(({ segmentId }) => segmentId),
      }),
    );
  addEnvironments(listObjects(state, 'featureEnvironments'), tables);
  addTags(listObjects(state, 'featureTags'), tables);
  // Each environment has its own variants, but the export contains those of only one, so they are read separately.
  await forEachConcurrently(tables.environments, async row => {
    const feature = tables.features.get(String(row.feature_name));
    if (feature === undefined) return;
    const path = `projects/${encode(feature.project)}/features/${encode(row.feature_name)}/environments/${encode(row.environment)}`;
    const response = await api.find(`${path}/variants`);
    if (!isObject(response)) return;
    row.variants = response.variants ?? [];
    feature.variants = null;
  });
}

function addEnvironments(list: Json[], { environments }: ExportedTables): void {
  for (const { featureName, environment, enabled, variants } of list)
    environments.push({ feature_name: featureName, environment, enabled, variants: variants ?? null });
}

function addTags(list: Json[], tables: ExportedTables): void {
  for (const { featureName, tagType, tagValue } of list)
    tables.feature_tag.set(`${featureName} ${tagType}:${tagValue}`, {
      feature_name: featureName,
      tag_type: tagType,
      tag_value: tagValue,
    });
}

/**
 * Sorts the strategies as each feature lists them, because the first one that matches determines the variant. Exports do not contain
 * the order.
 */
export async function sortStrategies(api: Api, tables: ExportedTables): Promise<void> {
  const { features, strategies } = tables;
  const strategiesByKey = Map.groupBy(strategies, strategy =>
    toKey(strategy.feature_name, strategy.environment),
  );
  const names = new Set(
    [...strategiesByKey.values()]
      .filter(list => list.length > 1)
      .map(([first]) => String(first?.feature_name)),
  );
  const order = new Map<string, number>();
  await forEachConcurrently([...names], async name => {
    const path = `projects/${encode(features.get(name)?.project)}/features/${encode(name)}`;
    for (const environment of listObjects(await api.find(path), 'environments'))
      for (const [index, { id }] of listObjects(environment, 'strategies').entries())
        order.set(String(id), index);
  });
  for (const strategy of strategies) {
    strategy.sort_order = order.get(strategy.id) ?? null;
    const name = String(strategy.feature_name);
    if (names.has(name) && strategy.sort_order === null) markUnreadable(tables, name);
  }
}

const withoutNulls = (row: SourceRow): SourceRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
