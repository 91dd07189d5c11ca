import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { badData, noAccess } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { normaliseConstraint } from '../../targeting/constraints/rules.ts';
import { createContextFields } from '../../targeting/context/create.ts';
import { distributeWeights } from '../../targeting/variants/weights.ts';
import { attachParents } from '../dependencies/add.ts';
import { environmentOf } from '../feature-environments/read.ts';
import { replaceStrategies } from '../feature-environments/replace.ts';
import type { NewStrategy } from '../feature-environments/schema.ts';
import { toggleLocked } from '../feature-environments/toggle.ts';
import { acceptVariants, setVariants } from '../feature-environments/variants.ts';
import { holdReceivingProject, readReceivingProject } from '../features/admission.ts';
import { addFeatures } from '../features/create.ts';
import { lockStates } from '../features/read.ts';
import type { FeatureState } from '../features/schema.ts';
import { listStates } from '../features/state/store.ts';
import { updateHeld } from '../features/update.ts';
import { acceptLink } from '../links/accept.ts';
import { attachLinks } from '../links/edit.ts';
import { attachTags, holdTags, tagPicker } from '../tags/attach.ts';
import { addMissingTagTypes } from '../tags/create.ts';
import { refuseOverBudget } from '../technical-debt/budget.ts';
import { enabledAfter } from './enabled-after.ts';
import { type Examined, examineImport, missingIn, namedIn } from './examine.ts';
import type { FeatureExport, ImportReport, ImportRequest } from './schema.ts';
import type { Known } from './store.ts';

/** What an import would meet, told without writing anything. */
export async function validateImport(
  db: Reader,
  actor: Actor,
  request: ImportRequest,
): Promise<ImportReport> {
  const receiving = await readReceivingProject(db, request.project);
  const existing = await readExisting(db, request);
  const { known: _, ...report } = await examineImport(db, actor, request, receiving, existing);
  return { ...report, errors: report.errors.map(({ path: _, ...error }) => error) };
}

/** Takes over what was exported: all of it or, if anything is against it, nothing. */
export async function importFeatures(
  db: Db,
  actor: Actor,
  request: ImportRequest,
  mostFeatures: number,
): Promise<void> {
  const { project, environment, data } = request;
  await change(db, actor, async ({ tx, record }) => {
    let changes = 0;
    const current: Change = {
      tx,
      actor,
      record: event => {
        changes++;
        record(event);
      },
    };
    // First without locks, so that all that is wrong is told; what is written next is locked in the order of everybody.
    const receiving = await readReceivingProject(tx, project);
    const { known } = refused(
      await examineImport(tx, actor, request, receiving, await readExisting(tx, request)),
      environment,
    );
    await addMissing(current, data, known);
    const tags = await holdTags(current, project, tagsIn(data), index => `/body/data/featureTags/${index}`);
    const locked = await holdReceivingProject(tx, project);
    const existing = await lockStates(tx, project, namedIn(data).features);
    // Again, because what others did meanwhile is certain only now.
    const { known: certain } = refused(
      await examineImport(tx, actor, request, locked, existing),
      environment,
    );

    const archived = new Set(certain.taken.filter(one => one.archived).map(({ name }) => name));
    const coming = data.features.filter(({ name }) => !archived.has(name));
    const taken = new Set(certain.taken.map(({ name }) => name));
    const fresh = coming.filter(({ name }) => !taken.has(name));
    if (fresh.length > 0) await refuseOverBudget(tx, project);
    if (fresh.length > 0) await addFeatures(current, project, fresh.map(asNewFeature), mostFeatures);
    const features = await lockStates(
      tx,
      project,
      coming.map(({ name }) => name),
    );
    await applyTo(current, features, request, certain, tags);
    if (changes === 0) return;
    const names = coming.map(({ name }) => name);
    record({ type: 'features-imported', project, environment, data: { features: names } });
  });
}

async function readExisting(db: Reader, { project, data }: ImportRequest): Promise<FeatureState[]> {
  return await listStates(db, project, namedIn(data).features);
}

function refused(report: Examined, environment: string): Examined {
  const [lacking] = report.permissions;
  if (lacking) throw noAccess(lacking.affectedItems, environment);
  if (report.errors.length === 0) return report;
  throw badData(
    report.errors.map(({ message, affectedItems, path = '/body/data' }) => ({
      message: `${message}: ${affectedItems.slice(0, 20).join(', ')}${affectedItems.length > 20 ? ' …' : ''}`,
      path,
    })),
  );
}

async function addMissing(current: Change, data: FeatureExport, known: Known): Promise<void> {
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
 * Makes each feature what the data says; a feature that is so already is left alone. The event loop gets a turn between
 * the steps: a step that finds nothing to write does not wait for the database.
 */
async function applyTo(
  current: Change,
  features: FeatureState[],
  { project, environment, data }: ImportRequest,
  known: Known,
  held: { type: string; value: string }[],
): Promise<void> {
  const told = new Map(data.features.map(one => [one.name, one]));
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const switches = new Map((data.featureEnvironments ?? []).map(one => [one.featureName, one]));
  const tags = Map.groupBy(data.featureTags ?? [], ({ featureName }) => featureName);
  const parents = new Map((data.dependencies ?? []).map(one => [one.feature, one.dependencies]));
  const links = new Map((data.links ?? []).map(one => [one.feature, one.links]));
  const segments = segmentsHere(data, known);
  const among = tagPicker(held);

  await updateHeld(
    current,
    features.map(before => {
      const { type, description, impressionData, stale } = told.get(before.name) ?? {};
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
  await setImmediate();
  await attachTags(
    current,
    features.map(feature => {
      const wanted = (tags.get(feature.name) ?? []).map(tag => ({
        type: tag.tagType,
        value: tag.tagValue.trim(),
      }));
      return { feature, tags: among(wanted) };
    }),
  );
  await setImmediate();
  await attachLinks(
    current,
    features.map(feature => ({
      feature,
      links: (links.get(feature.name) ?? [])
        .filter(({ url }) => !feature.links.some(link => link.url === url))
        .map(link => acceptLink(link, '/body/data/links')),
    })),
  );
  await setImmediate();
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
  await setImmediate();
  await replaceStrategies(
    current,
    place,
    features.map(feature => ({
      before: environmentOf(feature, environment),
      strategies: (strategies.get(feature.name) ?? []).map(one => asNewStrategy(one, segments)),
    })),
  );
  const after = enabledAfter(data);
  const placed = features.map(feature => {
    const here = environmentOf(feature, environment);
    return {
      place: here,
      wanted: switches.get(feature.name),
      enabled: after(feature.name, here.enabled).enabled,
    };
  });
  await setImmediate();
  await setVariants(
    current,
    placed.map(({ place: here, wanted }) => ({
      project,
      before: here,
      variants: wanted?.variants
        ? acceptVariants(wanted.variants, '/body/data/featureEnvironments')
        : here.variants,
    })),
  );
  for (const enabled of [true, false]) {
    const turning = placed.filter(one => one.enabled === enabled && one.place.enabled !== enabled);
    await toggleLocked(
      current,
      place,
      turning.map(({ place: here }) => here.featureName),
      enabled,
    );
  }
}

/** Ids of segments there, each with its id here: they are known to both by name. */
function segmentsHere(data: FeatureExport, known: Known): Map<number, number> {
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
  here: Map<number, number>,
): NewStrategy {
  return {
    name,
    title: title ?? null,
    disabled: disabled ?? false,
    parameters: parameters ?? {},
    constraints: constraints.map(normaliseConstraint),
    variants: distributeWeights(variants, '').variants ?? [],
    segments: segments.flatMap(id => here.get(id) ?? []).toSorted((a, b) => a - b),
  };
}
