import { SourceError } from '../../reading/source-error.ts';
import { type Api, encode, several } from './api-client.ts';
import { featureRow, isObject, type Json, objects, type StrategyRow, strategyRow } from './api-rows.ts';
import type { SourceRow } from './source.ts';

// What flags do: from version 5 on, an export of some flags in one environment; in version 4, one export of everything.

const FEATURES_PER_EXPORT = 500;

export type Exported = {
  features: Map<string, SourceRow>;
  strategies: StrategyRow[];
  environments: SourceRow[];
  feature_tag: Map<string, SourceRow>;
  feature_link: Map<string, SourceRow>;
  dependent_features: Map<string, SourceRow>;
};

export const emptyExport = (): Exported => ({
  features: new Map(),
  strategies: [],
  environments: [],
  feature_tag: new Map(),
  feature_link: new Map(),
  dependent_features: new Map(),
});

/** Version 4 cannot export individual features, but it can export everything. */
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
  listed: Json[],
  exported: Exported,
): Promise<void> {
  const names = listed.map(({ name }) => String(name));
  const enabled = enabledOf(listed);
  for (const environment of environments)
    for (let at = 0; at < names.length; at += FEATURES_PER_EXPORT) {
      const features = names.slice(at, at + FEATURES_PER_EXPORT);
      const body = await api.post('features-batch/export', { environment, features, downloadFile: false });
      takeExport(body, environment, enabled, exported);
      const found = new Set(objects(body, 'features').map(({ name }) => name));
      for (const name of features) if (!found.has(name)) markUnreadable(exported, name);
    }
}

/** A flag without its strategies would mean something else, so it is reported instead. */
function markUnreadable({ features }: Exported, name: string): void {
  const feature = features.get(name);
  if (feature) feature.unreadable = 'Unleash lists it, but does not show what it does';
}

/** Whether each flag is enabled, by flag and environment. */
const enabledOf = (listed: Json[]): Map<string, boolean> =>
  new Map(
    listed.flatMap(feature =>
      objects(feature, 'environments').map(one => [placeOf(feature.name, one.name), one.enabled === true]),
    ),
  );

const placeOf = (feature: unknown, environment: unknown): string => JSON.stringify([feature, environment]);

function takeExport(
  body: unknown,
  environment: string,
  enabled: ReadonlyMap<string, boolean>,
  exported: Exported,
): void {
  for (const feature of objects(body, 'features')) {
    const name = String(feature.name);
    exported.features.set(name, { ...exported.features.get(name), ...definedOf(featureRow(feature)) });
  }
  for (const one of objects(body, 'featureStrategies'))
    exported.strategies.push(strategyRow({ ...one, environment }));
  // Exports of Unleash 6.10 say that every flag is enabled. The list of the project's flags is right in every version.
  const here: Json[] = objects(body, 'featureEnvironments').map(one => ({
    ...one,
    enabled: enabled.get(placeOf(one.featureName, one.environment)),
  }));
  for (const one of here) if (one.enabled === undefined) markUnreadable(exported, String(one.featureName));
  takeEnvironments(here, exported);
  takeTags(objects(body, 'featureTags'), exported);
  for (const { feature, dependencies } of objects(body, 'dependencies'))
    for (const one of objects(dependencies))
      exported.dependent_features.set(`${feature} ${one.feature}`, {
        child: feature,
        parent: one.feature,
        enabled: one.enabled !== false,
        variants: one.variants ?? [],
      });
  for (const { feature, links } of objects(body, 'links'))
    for (const { id, url, title } of objects(links))
      exported.feature_link.set(String(id), { id, feature_name: feature, url, title });
}

export async function takeState(api: Api, state: Json, exported: Exported): Promise<void> {
  for (const feature of objects(state, 'features'))
    if (feature.archived !== true) exported.features.set(String(feature.name), featureRow(feature));
  const segments = Map.groupBy(objects(state, 'featureStrategySegments'), one =>
    String(one.featureStrategyId),
  );
  for (const one of objects(state, 'featureStrategies'))
    exported.strategies.push(
      strategyRow({
        ...one,
        name: one.strategyName,
        segments: (segments.get(String(one.id)) ?? []).map(({ segmentId }) => segmentId),
      }),
    );
  takeEnvironments(objects(state, 'featureEnvironments'), exported);
  takeTags(objects(state, 'featureTags'), exported);
  // Variants belong to environments, and this export contains those of one environment only.
  await several(exported.environments, async row => {
    const feature = exported.features.get(String(row.feature_name));
    if (feature === undefined) return;
    const path = `projects/${encode(feature.project)}/features/${encode(row.feature_name)}/environments/${encode(row.environment)}`;
    const found = await api.find(`${path}/variants`);
    if (!isObject(found)) return;
    row.variants = found.variants ?? [];
    feature.variants = null;
  });
}

function takeEnvironments(list: Json[], { environments }: Exported): void {
  for (const { featureName, environment, enabled, variants } of list)
    environments.push({ feature_name: featureName, environment, enabled, variants: variants ?? null });
}

function takeTags(list: Json[], exported: Exported): void {
  for (const { featureName, tagType, tagValue } of list)
    exported.feature_tag.set(`${featureName} ${tagType}:${tagValue}`, {
      feature_name: featureName,
      tag_type: tagType,
      tag_value: tagValue,
    });
}

/**
 * Exports do not give the order of strategies, but the first one that matches decides the variant. Only the feature itself has
 * the order.
 */
export async function orderStrategies(api: Api, exported: Exported): Promise<void> {
  const { features, strategies } = exported;
  const places = Map.groupBy(strategies, one => placeOf(one.feature_name, one.environment));
  const names = new Set(
    [...places.values()].filter(list => list.length > 1).map(([first]) => String(first?.feature_name)),
  );
  const order = new Map<string, number>();
  await several([...names], async name => {
    const path = `projects/${encode(features.get(name)?.project)}/features/${encode(name)}`;
    for (const environment of objects(await api.find(path), 'environments'))
      for (const [index, { id }] of objects(environment, 'strategies').entries())
        order.set(String(id), index);
  });
  for (const strategy of strategies) {
    strategy.sort_order = order.get(strategy.id) ?? null;
    const name = String(strategy.feature_name);
    if (names.has(name) && strategy.sort_order === null) markUnreadable(exported, name);
  }
}

const definedOf = (row: SourceRow): SourceRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
