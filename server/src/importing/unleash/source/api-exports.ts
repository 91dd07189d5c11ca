import { SourceError } from '../../reading/source-error.ts';
import { type Api, encode, forEachConcurrently } from './api-client.ts';
import { featureRow, isObject, type Json, objectsIn, type StrategyRow, strategyRow } from './api-rows.ts';
import type { SourceRow } from './source.ts';

// Reads what flags do. Since version 5, Unleash exports selected flags in one environment. Version 4 has one export of everything.

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

/** Returns an export of everything from version 4, which cannot export individual features; undefined for later versions. */
export async function readState(api: Api): Promise<Json | undefined> {
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
      takeExport(body, environment, enabledStates, tables);
      const exportedNames = new Set(objectsIn(body, 'features').map(({ name }) => name));
      for (const name of features) if (!exportedNames.has(name)) markUnreadable(tables, name);
    }
}

/** Reports flags whose strategies could not be read, because a flag without its strategies would behave differently. */
function markUnreadable({ features }: ExportedTables, name: string): void {
  const feature = features.get(name);
  if (feature) feature.unreadable = 'Unleash lists it, but does not show what it does';
}

/** Returns whether each flag is enabled, by flag and environment. */
const collectEnabledStates = (listedFeatures: Json[]): Map<string, boolean> =>
  new Map(
    listedFeatures.flatMap(feature =>
      objectsIn(feature, 'environments').map(environment => [
        toKey(feature.name, environment.name),
        environment.enabled === true,
      ]),
    ),
  );

const toKey = (feature: unknown, environment: unknown): string => JSON.stringify([feature, environment]);

function takeExport(
  body: unknown,
  environment: string,
  enabledStates: ReadonlyMap<string, boolean>,
  tables: ExportedTables,
): void {
  for (const feature of objectsIn(body, 'features')) {
    const name = String(feature.name);
    tables.features.set(name, { ...tables.features.get(name), ...withoutNulls(featureRow(feature)) });
  }
  for (const strategy of objectsIn(body, 'featureStrategies'))
    tables.strategies.push(strategyRow({ ...strategy, environment }));
  // Exports of Unleash 6.10 say that every flag is enabled. The list of the project's flags is right in every version.
  const featureEnvironments: Json[] = objectsIn(body, 'featureEnvironments').map(item => ({
    ...item,
    enabled: enabledStates.get(toKey(item.featureName, item.environment)),
  }));
  for (const featureEnvironment of featureEnvironments)
    if (featureEnvironment.enabled === undefined)
      markUnreadable(tables, String(featureEnvironment.featureName));
  takeEnvironments(featureEnvironments, tables);
  takeTags(objectsIn(body, 'featureTags'), tables);
  for (const { feature, dependencies } of objectsIn(body, 'dependencies'))
    for (const parent of objectsIn(dependencies))
      tables.dependent_features.set(`${feature} ${parent.feature}`, {
        child: feature,
        parent: parent.feature,
        enabled: parent.enabled !== false,
        variants: parent.variants ?? [],
      });
  for (const { feature, links } of objectsIn(body, 'links'))
    for (const { id, url, title } of objectsIn(links))
      tables.feature_link.set(String(id), { id, feature_name: feature, url, title });
}

export async function takeState(api: Api, state: Json, tables: ExportedTables): Promise<void> {
  for (const feature of objectsIn(state, 'features'))
    if (feature.archived !== true) tables.features.set(String(feature.name), featureRow(feature));
  const segments = Map.groupBy(objectsIn(state, 'featureStrategySegments'), segment =>
    String(segment.featureStrategyId),
  );
  for (const strategy of objectsIn(state, 'featureStrategies'))
    tables.strategies.push(
      strategyRow({
        ...strategy,
        name: strategy.strategyName,
        segments: (segments.get(String(strategy.id)) ?? []).map(({ segmentId }) => segmentId),
      }),
    );
  takeEnvironments(objectsIn(state, 'featureEnvironments'), tables);
  takeTags(objectsIn(state, 'featureTags'), tables);
  // Variants belong to environments, and this export contains only those of one environment.
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

function takeEnvironments(list: Json[], { environments }: ExportedTables): void {
  for (const { featureName, environment, enabled, variants } of list)
    environments.push({ feature_name: featureName, environment, enabled, variants: variants ?? null });
}

function takeTags(list: Json[], tables: ExportedTables): void {
  for (const { featureName, tagType, tagValue } of list)
    tables.feature_tag.set(`${featureName} ${tagType}:${tagValue}`, {
      feature_name: featureName,
      tag_type: tagType,
      tag_value: tagValue,
    });
}

/**
 * Exports do not give the order of strategies, but the first one that matches decides the variant. Only the feature itself has
 * the order.
 */
export async function orderStrategies(api: Api, tables: ExportedTables): Promise<void> {
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
    for (const environment of objectsIn(await api.find(path), 'environments'))
      for (const [index, { id }] of objectsIn(environment, 'strategies').entries())
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
