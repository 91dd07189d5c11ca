import { setImmediate as nextTurn } from 'node:timers/promises';
import { badData, noAccess, rejectForAll } from '../../../../plane/src/platform/errors.ts';
import { placeOf } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { normaliseConstraint } from '../../targeting/constraints/rules.ts';
import { createContextFields } from '../../targeting/context/create.ts';
import { StrategyVariantInputs } from '../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import { attachParents } from '../dependencies/add.ts';
import { environmentOf } from '../feature-environments/read.ts';
import { replaceStrategies } from '../feature-environments/replace.ts';
import type { NewStrategy } from '../feature-environments/schema.ts';
import { toggleLocked } from '../feature-environments/toggle.ts';
import { setVariants, validateVariants } from '../feature-environments/variants.ts';
import { addFeatures } from '../features/create.ts';
import { lockActiveProject, readActiveProject } from '../features/project-rules.ts';
import { lockStates } from '../features/read.ts';
import type { FeatureState } from '../features/schema.ts';
import { listStates } from '../features/state/store.ts';
import { updateLocked } from '../features/update.ts';
import { attachLinks } from '../links/edit.ts';
import { validateLink } from '../links/validate.ts';
import { attachTags, lockOrCreateTags, tagPicker } from '../tags/attach.ts';
import { addMissingTagTypes } from '../tags/create.ts';
import { rejectOverBudget } from '../technical-debt/budget.ts';
import { enabledAfter } from './enabled-after.ts';
import { type Examined, examineImport, missingIn, namedIn } from './examine.ts';
import type { FeatureExport, ImportReport, ImportRequest } from './schema.ts';
import type { ExistingNames } from './store.ts';

/** Reports what an import would do. Writes nothing. */
export async function validateImport(
  db: Reader,
  actor: Actor,
  request: ImportRequest,
): Promise<ImportReport> {
  const target = await readActiveProject(db, request.project);
  const existing = await readExisting(db, request);
  const { known: _, ...report } = await examineImport(db, actor, request, target, existing);
  return { ...report, errors: report.errors.map(({ path: _, ...error }) => error) };
}

/** Imports all exported features, or none if there is an error. */
export async function importFeatures(
  { tx, actor, record, notify }: Change,
  request: ImportRequest,
  featureLimit: number,
): Promise<void> {
  const { project, environment, data } = request;
  let changes = 0;
  const current: Change = {
    tx,
    actor,
    record: event => {
      changes++;
      record(event);
    },
    notify,
  };
  // The first check runs without locks, so that the request is rejected with every reason. Locks are then taken in the
  // common lock order, and the second check sees what concurrent transactions changed in between.
  const target = await readActiveProject(tx, project);
  const unlocked = await readExisting(tx, request);
  const { known } = rejectErrors(await examineImport(tx, actor, request, target, unlocked), request);
  await createMissing(current, data, known);
  const tags = await lockOrCreateTags(
    current,
    project,
    tagsIn(data),
    index => `/body/data/featureTags/${index}`,
  );
  const locked = await lockActiveProject(tx, project);
  const existing = await lockStates(tx, project, namedIn(data).features);
  const { known: certain } = rejectErrors(await examineImport(tx, actor, request, locked, existing), request);

  const archived = new Set(certain.taken.filter(one => one.archived).map(({ name }) => name));
  const imported = data.features.filter(({ name }) => !archived.has(name));
  const names = imported.map(({ name }) => name);
  const taken = new Set(certain.taken.map(({ name }) => name));
  const created = imported.filter(({ name }) => !taken.has(name));
  if (created.length > 0) {
    await rejectOverBudget(tx, project);
    await addFeatures(current, project, created.map(asNewFeature), featureLimit);
  }
  const features = await lockStates(tx, project, names);
  await applyData(current, features, request, certain, tags);
  if (changes > 0) record({ type: 'features-imported', project, environment, data: { features: names } });
}

async function readExisting(db: Reader, { project, data }: ImportRequest): Promise<FeatureState[]> {
  return await listStates(db, project, namedIn(data).features);
}

function rejectErrors(report: Examined, { project, environment }: ImportRequest): Examined {
  const missing = report.permissions.flatMap(({ affectedItems }) => affectedItems);
  rejectForAll(
    'The import',
    missing.map(permission => noAccess([permission], placeOf([permission], project, environment))),
  );
  if (report.errors.length === 0) return report;
  throw badData(
    report.errors.map(({ message, affectedItems, path = '/body/data' }) => ({
      message: `${message}: ${affectedItems.slice(0, 20).join(', ')}${affectedItems.length > 20 ? ' …' : ''}`,
      path,
    })),
  );
}

async function createMissing(current: Change, data: FeatureExport, known: ExistingNames): Promise<void> {
  const { fields, tagTypes } = missingIn(data, known);
  await createContextFields(current, fields, null);
  if (tagTypes.length > 0) await addMissingTagTypes(current, tagTypes);
}

const tagsIn = (data: FeatureExport) =>
  (data.featureTags ?? []).map(({ tagType, tagValue }) => ({ type: tagType, value: tagValue }));

const asNewFeature = ({ name, type, description, impressionData }: FeatureExport['features'][number]) => ({
  name,
  ...(type === undefined ? {} : { type }),
  description: description ?? null,
  impressionData: impressionData ?? false,
});

/**
 * Changes each feature to match the data. A feature that matches already is not written. The event loop gets a turn between
 * the steps, because a step with nothing to write does not wait for the database.
 */
async function applyData(
  current: Change,
  features: FeatureState[],
  { project, environment, data }: ImportRequest,
  known: ExistingNames,
  lockedTags: { type: string; value: string }[],
): Promise<void> {
  const fields = new Map(data.features.map(one => [one.name, one]));
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const environments = new Map((data.featureEnvironments ?? []).map(one => [one.featureName, one]));
  const tags = Map.groupBy(data.featureTags ?? [], ({ featureName }) => featureName);
  const parents = new Map((data.dependencies ?? []).map(one => [one.feature, one.dependencies]));
  const links = new Map((data.links ?? []).map(one => [one.feature, one.links]));
  const segmentIds = mapSegmentIds(data, known);
  const pickTags = tagPicker(lockedTags);

  await updateLocked(
    current,
    features.map(before => {
      const { type, description, impressionData, stale } = fields.get(before.name) ?? {};
      return {
        before,
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
      const imported = (tags.get(feature.name) ?? []).map(tag => ({
        type: tag.tagType,
        value: tag.tagValue.trim(),
      }));
      return { feature, tags: pickTags(imported) };
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
  const place = { project, environment };
  await nextTurn();
  await replaceStrategies(
    current,
    place,
    features.map(feature => ({
      before: environmentOf(feature, environment),
      strategies: (strategies.get(feature.name) ?? []).map(one => asNewStrategy(one, segmentIds)),
    })),
  );
  const after = enabledAfter(data);
  const placed = features.map(feature => {
    const here = environmentOf(feature, environment);
    return {
      place: here,
      imported: environments.get(feature.name),
      enabled: after(feature.name, here.enabled).enabled,
    };
  });
  await nextTurn();
  await setVariants(
    current,
    placed.map(({ place: here, imported }) => ({
      project,
      before: here,
      variants: imported?.variants
        ? validateVariants(imported.variants, '/body/data/featureEnvironments')
        : here.variants,
    })),
  );
  for (const enabled of [true, false]) {
    const toggled = placed.filter(one => one.enabled === enabled && one.place.enabled !== enabled);
    await toggleLocked(
      current,
      place,
      toggled.map(({ place: here }) => here.featureName),
      enabled,
    );
  }
}

/** Maps segment ids of the exporting instance to ids of this instance, by name. */
function mapSegmentIds(data: FeatureExport, known: ExistingNames): Map<number, number> {
  const byName = new Map(known.segments.map(({ id, name }) => [name, id]));
  return new Map(
    (data.segments ?? []).flatMap(({ id, name }) => {
      const here = byName.get(name);
      return here === undefined ? [] : [[id, here]];
    }),
  );
}

function asNewStrategy(
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
    constraints: constraints.map(normaliseConstraint),
    variants: distributeWeights(withoutUnknownFields(StrategyVariantInputs, variants), '').variants ?? [],
    segments: segments.flatMap(id => segmentIds.get(id) ?? []).toSorted((a, b) => a - b),
  };
}
