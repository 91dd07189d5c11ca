import { badData, exceedsLimit, notFound, quoteNames } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { findEnvironmentViolations } from '../environments/violations.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import { type ExportQuery, type FeatureExport, MAX_FEATURES } from './schema.ts';
import { findReferences, listSelectedFeatures } from './store.ts';

/** Exports features as they are in one environment, with everything they refer to, so that another instance can import them. */
export async function exportFeatures(
  { tx, actor, record }: Change,
  query: ExportQuery,
): Promise<FeatureExport> {
  checkQuery(query);
  await rejectUnknownEnvironment(tx, query.environment);
  const names = await listSelectedFeatures(tx, actor, query);
  rejectMissingOrTooMany(query, names);
  const { features, featureExport } = await readExport(tx, actor, names, query.environment);
  // Records one event per project, so that everyone who can read a project sees that its features were exported.
  for (const [project, projectFeatures] of Map.groupBy(features, feature => feature.project)) {
    const data = { features: projectFeatures.map(feature => feature.name) };
    record({ type: 'features-exported', project, environment: query.environment, data });
  }
  return featureExport;
}

/** Reads some features as they are in one environment, with everything they refer to. */
export async function readExport(
  db: Reader,
  actor: Actor,
  names: string[],
  environment: string,
): Promise<{ features: FeatureState[]; featureExport: FeatureExport }> {
  const features = await listReadableStates(db, actor, names);
  const featureExport = collectParts(features, environment);
  const { segments, tagTypes, contextFields } = await findReferences(
    db,
    actor,
    collectReferences(featureExport),
  );
  return { features, featureExport: { ...featureExport, segments, tagTypes, contextFields } };
}

function checkQuery({ features, project, tag }: ExportQuery): void {
  const selectors = [features, project, tag].filter(selector => selector !== undefined).length;
  if (selectors !== 1)
    throw badData([{ message: 'body must have exactly one of features, project and tag', path: '/body' }]);
  if (tag !== undefined && !/^[^:]+:.+$/.test(tag))
    throw badData([{ message: 'tag must be type:value, for example simple:checkout', path: '/body/tag' }]);
}

/** Rejects an unknown environment. Its export would have no strategies, so importing the export would remove existing strategies. */
async function rejectUnknownEnvironment(db: Reader, environment: string): Promise<void> {
  const details = await findEnvironmentViolations(db, [{ name: environment, path: '/body/environment' }]);
  if (details.length > 0) throw badData(details);
}

function rejectMissingOrTooMany({ features = [] }: ExportQuery, names: string[]): void {
  const existingNames = new Set(names);
  const missingNames = features.filter(name => !existingNames.has(name));
  if (missingNames.length > 0) throw notFound(`Feature ${quoteNames(missingNames)}`);
  if (names.length > MAX_FEATURES)
    throw exceedsLimit(`An export can have at most ${MAX_FEATURES} features. Select fewer.`);
}

type Parts = Required<Omit<FeatureExport, 'segments' | 'tagTypes' | 'contextFields'>>;

function collectParts(features: FeatureState[], environment: string): Parts {
  const environments = features.flatMap(feature =>
    feature.environments.filter(({ name }) => name === environment),
  );
  return {
    features: features.map(
      ({ name, type, description = null, project, stale, impressionData, createdAt }) => ({
        ...{ name, type, description, project, stale, impressionData, createdAt },
      }),
    ),
    featureStrategies: environments.flatMap(featureEnvironment => featureEnvironment.strategies),
    featureEnvironments: environments.map(({ featureName, enabled, variants, type }) => ({
      // An import into Unleash looks the feature up by `name`.
      ...{ featureName, environment, name: featureName, type, enabled, variants },
    })),
    featureTags: features.flatMap(({ name, tags }) =>
      tags.map(({ type, value }) => ({ featureName: name, tagType: type, tagValue: value })),
    ),
    dependencies: features
      .filter(feature => feature.dependencies.length > 0)
      .map(({ name, dependencies }) => ({ feature: name, dependencies })),
    links: features
      .filter(feature => feature.links.length > 0)
      .map(({ name, links }) => ({ feature: name, links: links.map(({ url, title }) => ({ url, title })) })),
  };
}

function collectReferences({ featureStrategies, featureTags }: Parts) {
  const constraints = featureStrategies.flatMap(strategy => strategy.constraints ?? []);
  return {
    segments: [...new Set(featureStrategies.flatMap(strategy => strategy.segments ?? []))],
    tagTypes: [...new Set(featureTags.map(tag => tag.tagType))],
    contextFields: [...new Set(constraints.map(constraint => constraint.contextName))],
  };
}
