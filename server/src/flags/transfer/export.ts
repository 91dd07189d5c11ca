import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { badData, exceedsLimit, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { environmentViolations } from '../environments/violations.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import { type ExportQuery, type FeatureExport, MAX_FEATURES } from './schema.ts';
import { findReferences, listChosen } from './store.ts';

/** What features are in one environment, with all they refer to, for another instance to take over. */
export async function exportFeatures(db: Db, actor: Actor, query: ExportQuery): Promise<FeatureExport> {
  refuseUnclear(query);
  return await change(db, actor, async ({ tx, record }) => {
    await refuseUnknownEnvironment(tx, query.environment);
    const names = await listChosen(tx, actor, query);
    refuseMissingOrTooMany(query, names);
    const features = await listReadableStates(tx, actor, names);
    const exported = gather(features, query.environment);
    const { segments, tagTypes, contextFields } = await findReferences(tx, usedBy(exported));
    // One event for each project, so that whoever may read it learns that its features were taken out.
    for (const [project, theirs] of Map.groupBy(features, feature => feature.project)) {
      const own = theirs.map(feature => feature.name);
      record({ type: 'features-exported', project, environment: query.environment, data: { features: own } });
    }
    return { ...exported, segments, tagTypes, contextFields };
  });
}

function refuseUnclear({ features, project, tag }: ExportQuery): void {
  const ways = [features, project, tag].filter(one => one !== undefined).length;
  if (ways !== 1) throw badData([{ message: 'name either features, or a project, or a tag', path: '/body' }]);
  if (tag !== undefined && !/^[^:]+:.+$/.test(tag))
    throw badData([
      { message: 'tag must be a type and a value, such as simple:checkout', path: '/body/tag' },
    ]);
}

/** Without strategies the file would look complete, and importing it would remove those of the receiving features. */
async function refuseUnknownEnvironment(tx: Tx, environment: string): Promise<void> {
  const details = await environmentViolations(tx, [{ name: environment, path: '/body/environment' }]);
  if (details.length > 0) throw badData(details);
}

function refuseMissingOrTooMany({ features = [] }: ExportQuery, found: string[]): void {
  const there = new Set(found);
  const missing = features.filter(name => !there.has(name));
  if (missing.length > 0) throw notFound(`Feature ${missing.join(', ')}`);
  if (found.length > MAX_FEATURES)
    throw exceedsLimit(`An export has at most ${MAX_FEATURES} features; name fewer.`);
}

type Gathered = Required<Omit<FeatureExport, 'segments' | 'tagTypes' | 'contextFields'>>;

function gather(features: FeatureState[], environment: string): Gathered {
  const places = features.flatMap(feature => feature.environments.filter(({ name }) => name === environment));
  return {
    features: features.map(
      ({ name, type, description = null, project, stale, impressionData, createdAt }) => ({
        ...{ name, type, description, project, stale, impressionData, createdAt },
      }),
    ),
    featureStrategies: places.flatMap(place => place.strategies),
    featureEnvironments: places.map(({ featureName, enabled, variants, type }) => ({
      ...{ featureName, environment, name: environment, type, enabled, variants },
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

function usedBy({ featureStrategies, featureTags }: Gathered) {
  const constraints = featureStrategies.flatMap(strategy => strategy.constraints ?? []);
  return {
    segments: [...new Set(featureStrategies.flatMap(strategy => strategy.segments ?? []))],
    tagTypes: [...new Set(featureTags.map(tag => tag.tagType))],
    contextFields: [...new Set(constraints.map(constraint => constraint.contextName))],
  };
}
