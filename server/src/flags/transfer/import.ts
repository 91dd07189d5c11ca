import { setImmediate as nextTurn } from 'node:timers/promises';
import { badData, noAccess, rejectForAll } from '@halyard/plane/platform/errors.ts';
import { getPermissionScope } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { normalizeConstraint } from '../../targeting/constraints/rules.ts';
import { createContextFields } from '../../targeting/context/create.ts';
import { StrategyVariantInputs } from '../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import { attachParents } from '../dependencies/add.ts';
import { requireEnvironment } from '../feature-environments/read.ts';
import { replaceStrategiesOfFeatures } from '../feature-environments/replace.ts';
import type { NewStrategy } from '../feature-environments/schema.ts';
import { toggleLockedFeatures } from '../feature-environments/toggle.ts';
import { setVariants, validateVariants } from '../feature-environments/variants.ts';
import { addFeatures } from '../features/create.ts';
import { lockActiveProject, readActiveProject } from '../features/project-rules.ts';
import { lockStates } from '../features/read.ts';
import type { FeatureState } from '../features/schema.ts';
import { listStates } from '../features/state/store.ts';
import { updateLockedFeatures } from '../features/update.ts';
import { attachLinks } from '../links/edit.ts';
import { validateLink } from '../links/validate.ts';
import { attachTags, lockOrCreateTags, makeTagPicker } from '../tags/attach.ts';
import { addMissingTagTypes } from '../tags/create.ts';
import { rejectOverBudget } from '../technical-debt/budget.ts';
import { checkImport, collectNames, findMissingFieldsAndTagTypes, type ImportCheck } from './check.ts';
import { makeEnabledStateResolver } from './enabled-state.ts';
import type { FeatureExport, ImportReport, ImportRequest } from './schema.ts';
import type { ExistingNames } from './store.ts';

/** Reports what an import would do. Writes nothing. */
export async function validateImport(
  db: Reader,
  actor: Actor,
  request: ImportRequest,
): Promise<ImportReport> {
  const target = await readActiveProject(db, request.project);
  const existingFeatures = await readExisting(db, request);
  const { existingNames: _, ...report } = await checkImport(db, actor, request, target, existingFeatures);
  return { ...report, errors: report.errors.map(({ path: _, ...error }) => error) };
}

/** Imports all exported features, or none if there is an error. */
export async function importFeatures(
  { tx, actor, record, notify }: Change,
  request: ImportRequest,
  featureLimit: number,
): Promise<void> {
  const { project, environment, data } = request;
  let changeCount = 0;
  const current: Change = {
    tx,
    actor,
    record: event => {
      changeCount++;
      record(event);
    },
    notify,
  };
  // The first check runs without locks, because the steps that take the locks reject only their own errors, but a rejection must
  // list every reason. The second check, under all locks, sees what concurrent transactions changed in between.
  const target = await readActiveProject(tx, project);
  const featuresBeforeLock = await readExisting(tx, request);
  const { existingNames } = rejectErrors(
    await checkImport(tx, actor, request, target, featuresBeforeLock),
    request,
  );
  await createFieldsAndTagTypes(current, data, existingNames);
  const tags = await lockOrCreateTags(
    current,
    project,
    tagsIn(data),
    index => `/body/data/featureTags/${index}`,
  );
  const lockedProject = await lockActiveProject(tx, project);
  const existingFeatures = await lockStates(tx, project, collectNames(data).features);
  const { existingNames: confirmedNames } = rejectErrors(
    await checkImport(tx, actor, request, lockedProject, existingFeatures),
    request,
  );

  const archivedNames = new Set(
    confirmedNames.taken.filter(feature => feature.archived).map(({ name }) => name),
  );
  const importedFeatures = data.features.filter(({ name }) => !archivedNames.has(name));
  const names = importedFeatures.map(({ name }) => name);
  const takenNames = new Set(confirmedNames.taken.map(({ name }) => name));
  const featuresToCreate = importedFeatures.filter(({ name }) => !takenNames.has(name));
  if (featuresToCreate.length > 0) {
    await rejectOverBudget(tx, project);
    await addFeatures(current, project, featuresToCreate.map(toNewFeature), featureLimit);
  }
  const features = await lockStates(tx, project, names);
  await applyData(current, features, request, confirmedNames, tags);
  if (changeCount > 0) record({ type: 'features-imported', project, environment, data: { features: names } });
}

async function readExisting(db: Reader, { project, data }: ImportRequest): Promise<FeatureState[]> {
  return await listStates(db, project, collectNames(data).features);
}

function rejectErrors(report: ImportCheck, { project, environment }: ImportRequest): ImportCheck {
  const missingPermissions = report.permissions.flatMap(({ affectedItems }) => affectedItems);
  rejectForAll(
    'The import',
    missingPermissions.map(permission =>
      noAccess([permission], getPermissionScope([permission], project, environment)),
    ),
  );
  if (report.errors.length === 0) return report;
  throw badData(
    report.errors.map(({ message, affectedItems, path = '/body/data' }) => ({
      message: `${message}: ${affectedItems.slice(0, 20).join(', ')}${affectedItems.length > 20 ? ' …' : ''}`,
      path,
    })),
  );
}

async function createFieldsAndTagTypes(
  current: Change,
  data: FeatureExport,
  existingNames: ExistingNames,
): Promise<void> {
  const { fields, tagTypes } = findMissingFieldsAndTagTypes(data, existingNames);
  await createContextFields(current, fields, null);
  if (tagTypes.length > 0) await addMissingTagTypes(current, tagTypes);
}

const tagsIn = (data: FeatureExport) =>
  (data.featureTags ?? []).map(({ tagType, tagValue }) => ({ type: tagType, value: tagValue }));

const toNewFeature = ({ name, type, description, impressionData }: FeatureExport['features'][number]) => ({
  name,
  ...(type === undefined ? {} : { type }),
  description: description ?? null,
  impressionData: impressionData ?? false,
});

/**
 * Changes each feature to match the data. Does not write features that already match. Yields to the event loop between steps, because
 * a step that has nothing to write does not wait for the database and so would block other requests.
 */
async function applyData(
  current: Change,
  features: FeatureState[],
  { project, environment, data }: ImportRequest,
  existingNames: ExistingNames,
  lockedTags: { type: string; value: string }[],
): Promise<void> {
  const fields = new Map(data.features.map(feature => [feature.name, feature]));
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const environments = new Map(
    (data.featureEnvironments ?? []).map(featureEnvironment => [
      featureEnvironment.featureName,
      featureEnvironment,
    ]),
  );
  const tags = Map.groupBy(data.featureTags ?? [], ({ featureName }) => featureName);
  const parents = new Map(
    (data.dependencies ?? []).map(dependency => [dependency.feature, dependency.dependencies]),
  );
  const links = new Map((data.links ?? []).map(featureLinks => [featureLinks.feature, featureLinks.links]));
  const segmentIds = mapSegmentIds(data, existingNames);
  const pickTags = makeTagPicker(lockedTags);

  await updateLockedFeatures(
    current,
    features.map(feature => {
      const { type, description, impressionData, stale } = fields.get(feature.name) ?? {};
      return {
        featureBefore: feature,
        update: {
          ...(type === undefined ? {} : { type }),
          ...(description === undefined ? {} : { description }),
          ...(impressionData == null ? {} : { impressionData }),
          ...(stale === undefined ? {} : { stale }),
        },
      };
    }),
  );
  await nextTurn();
  await attachTags(
    current,
    features.map(feature => {
      const importedTags = (tags.get(feature.name) ?? []).map(tag => ({
        type: tag.tagType,
        value: tag.tagValue.trim(),
      }));
      return { feature, tags: pickTags(importedTags) };
    }),
  );
  await nextTurn();
  await attachLinks(
    current,
    features.map(feature => ({
      feature,
      links: (links.get(feature.name) ?? [])
        .filter(({ url }) => !feature.links.some(link => link.url === url))
        .map(link => validateLink(link, '/body/data/links')),
    })),
  );
  await nextTurn();
  await attachParents(
    current,
    features.flatMap(child =>
      (parents.get(child.name) ?? []).map(({ feature, enabled, variants }) => ({
        child,
        dependency: { feature, enabled: enabled ?? true, variants: [...new Set(variants)] },
      })),
    ),
  );
  const target = { project, environment };
  await nextTurn();
  await replaceStrategiesOfFeatures(
    current,
    target,
    features.map(feature => ({
      environmentBefore: requireEnvironment(feature, environment),
      strategies: (strategies.get(feature.name) ?? []).map(strategy => toNewStrategy(strategy, segmentIds)),
    })),
  );
  const resolveEnabled = makeEnabledStateResolver(data);
  const plans = features.map(feature => {
    const environmentBefore = requireEnvironment(feature, environment);
    return {
      environmentBefore,
      imported: environments.get(feature.name),
      enabled: resolveEnabled(feature.name, environmentBefore.enabled).enabled,
    };
  });
  await nextTurn();
  await setVariants(
    current,
    plans.map(({ environmentBefore, imported }) => ({
      project,
      environmentBefore,
      variants: imported?.variants
        ? validateVariants(imported.variants, '/body/data/featureEnvironments')
        : environmentBefore.variants,
    })),
  );
  for (const enabled of [true, false]) {
    const toggles = plans.filter(
      plan => plan.enabled === enabled && plan.environmentBefore.enabled !== enabled,
    );
    await toggleLockedFeatures(
      current,
      target,
      toggles.map(({ environmentBefore }) => environmentBefore.featureName),
      enabled,
    );
  }
}

/** Maps segment ids of the exporting instance to ids of this instance, by name. */
function mapSegmentIds(data: FeatureExport, existingNames: ExistingNames): Map<number, number> {
  const idsByName = new Map(existingNames.segments.map(({ id, name }) => [name, id]));
  return new Map(
    (data.segments ?? []).flatMap(({ id, name }) => {
      const existingId = idsByName.get(name);
      return existingId === undefined ? [] : [[id, existingId]];
    }),
  );
}

function toNewStrategy(
  {
    name,
    title,
    disabled,
    parameters,
    constraints = [],
    variants = [],
    segments = [],
  }: FeatureExport['featureStrategies'][number],
  segmentIds: Map<number, number>,
): NewStrategy {
  return {
    name,
    title: title ?? null,
    disabled: disabled ?? false,
    parameters: parameters ?? {},
    constraints: constraints.map(normalizeConstraint),
    variants: distributeWeights(withoutUnknownFields(StrategyVariantInputs, variants), '').variants ?? [],
    segments: segments.flatMap(id => segmentIds.get(id) ?? []).toSorted((a, b) => a - b),
  };
}
