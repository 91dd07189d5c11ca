import { formatCount } from '@halyard/plane/platform/errors.ts';
import { findMissingPermissions } from '../../access/held-permissions.ts';
import type { Permission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { validateConstraintLists } from '../../targeting/constraints/validate.ts';
import { findParameterViolations } from '../../targeting/rule-text/violations.ts';
import { findStickinessViolations } from '../../targeting/variants/stickiness.ts';
import { distributeWeights } from '../../targeting/variants/weights.ts';
import { MAX_STRATEGIES } from '../feature-environments/schema.ts';
import { findRolloutViolations } from '../feature-environments/validate-strategy.ts';
import { makeNameMatcher } from '../features/project-rules.ts';
import type { FeatureState } from '../features/schema.ts';
import { findUrlViolation } from '../links/validate.ts';
import { makeEnabledStateResolver } from './enabled-state.ts';
import type { FeatureExport, Finding, ImportReport, ImportRequest } from './schema.ts';
import { type ExistingNames, findExistingNames } from './store.ts';

/** The rules of the target project for new features. */
export type ImportTarget = {
  namingPattern: string | null;
  featureLimit: number | null;
  activeFeatures: number;
  archived: boolean;
};

/** A finding. If it is not about the exported data, `path` points to the field in the request. */
type FindingWithPath = Finding & { path?: string };
export type ImportCheck = Omit<ImportReport, 'errors'> & {
  errors: FindingWithPath[];
  existingNames: ExistingNames;
};

/** Collects every finding about an import before anything is written, in a fixed number of statements. */
export async function checkImport(
  db: Reader,
  actor: Actor,
  { project, environment, data }: ImportRequest,
  target: ImportTarget,
  existingFeatures: FeatureState[],
): Promise<ImportCheck> {
  const existingNames = await findExistingNames(db, project, collectNames(data));
  const permissions = listRequiredPermissions(data, existingNames, project);
  const deniedPermissions = await findMissingPermissions(db, actor, permissions, project, environment);
  const valueErrors = await findValueErrors(db, data, project);
  const errors: FindingWithPath[] = [
    ...findEnvironmentErrors(existingNames, project, environment),
    ...findInconsistencies(data),
    ...findNameErrors(data, existingNames, project, target),
    ...findReferenceErrors(data, existingNames),
    ...findDependencyErrors(data, existingFeatures),
    ...valueErrors,
  ];
  return {
    existingNames,
    errors: errors.filter(({ affectedItems }) => affectedItems.length > 0),
    warnings: findWarnings(
      data,
      existingNames,
      project,
      getEnabledNames(existingFeatures, environment),
    ).filter(({ affectedItems }) => affectedItems.length > 0),
    permissions:
      deniedPermissions.length === 0 ? [] : [makeFinding('You lack these permissions', deniedPermissions)],
    effect: computeEffect(data, existingNames, project),
  };
}

const makeFinding = (message: string, affectedItems: Iterable<string>): Finding => ({
  message,
  affectedItems: [...new Set(affectedItems)].toSorted(),
});

function computeEffect(
  data: FeatureExport,
  existingNames: ExistingNames,
  project: string,
): ImportReport['effect'] {
  const names = deduplicate(getFeatureNames(data)).toSorted();
  const takenByName = new Map(
    selectTaken(names, existingNames.taken).map(feature => [feature.name, feature]),
  );
  const namesInProject = names.filter(name => takenByName.get(name)?.project === project);
  const { fields, tagTypes } = findMissingFieldsAndTagTypes(data, existingNames);
  return {
    created: names.filter(name => !takenByName.has(name)),
    overwritten: namesInProject.filter(name => !takenByName.get(name)?.archived),
    leftOut: namesInProject.filter(name => takenByName.get(name)?.archived),
    contextFields: deduplicate(fields.map(({ name }) => name)),
    tagTypes: deduplicate(tagTypes.map(({ name }) => name)),
  };
}

const deduplicate = (names: string[]): string[] => [...new Set(names)];

const getFeatureNames = (data: FeatureExport): string[] => data.features.map(({ name }) => name);

/** Collects all names in the data, which may or may not exist in this instance. */
export function collectNames(data: FeatureExport) {
  const constraints = data.featureStrategies.flatMap(({ constraints = [] }) => constraints);
  const parents = (data.dependencies ?? []).flatMap(({ dependencies }) => dependencies);
  return {
    features: deduplicate([...getFeatureNames(data), ...parents.map(({ feature }) => feature)]),
    strategyTypes: deduplicate(data.featureStrategies.map(({ name }) => name)),
    segments: deduplicate((data.segments ?? []).map(({ name }) => name)),
    contextFields: deduplicate([
      ...constraints.map(({ contextName }) => contextName),
      ...(data.contextFields ?? []).map(({ name }) => name),
    ]),
    tags: (data.featureTags ?? []).map(({ tagType, tagValue }) => ({ type: tagType, value: tagValue })),
  };
}

function findEnvironmentErrors(
  { environments }: ExistingNames,
  project: string,
  environment: string,
): FindingWithPath[] {
  if (environments.includes(environment)) return [];
  return [
    {
      ...makeFinding(`Project "${project}" does not have this environment`, [environment]),
      path: '/body/environment',
    },
  ];
}

/** Finds contradictions within the data. */
function findInconsistencies(data: FeatureExport): Finding[] {
  const names = new Set(getFeatureNames(data));
  const segments = new Set((data.segments ?? []).map(({ id }) => id));
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const featuresWithParts = [
    ...data.featureStrategies.map(({ featureName }) => featureName),
    ...(data.featureEnvironments ?? []).map(({ featureName }) => featureName),
    ...(data.featureTags ?? []).map(({ featureName }) => featureName),
    ...(data.dependencies ?? []).map(({ feature }) => feature),
    ...(data.links ?? []).map(({ feature }) => feature),
  ];
  return [
    makeFinding('These features are listed more than once', findDuplicates(getFeatureNames(data))),
    makeFinding(
      'These features are listed more than once in featureEnvironments',
      findDuplicates((data.featureEnvironments ?? []).map(({ featureName }) => featureName)),
    ),
    makeFinding(
      'The data has parts of these features, but does not list the features',
      featuresWithParts.filter(name => !names.has(name)),
    ),
    makeFinding(
      `These features have more than ${MAX_STRATEGIES} strategies, the maximum`,
      [...names].filter(name => (strategies.get(name) ?? []).length > MAX_STRATEGIES),
    ),
    makeFinding(
      'Strategies refer to these segment ids, but the data does not have their names',
      data.featureStrategies
        .flatMap(({ segments = [] }) => segments)
        .filter(id => !segments.has(id))
        .map(String),
    ),
  ];
}

function findDuplicates(names: string[]): string[] {
  const seenNames = new Set<string>();
  return names.filter(name => seenNames.size === seenNames.add(name).size);
}

function findNameErrors(
  data: FeatureExport,
  { taken }: ExistingNames,
  project: string,
  target: ImportTarget,
): Finding[] {
  const names = getFeatureNames(data);
  const matchesPattern = makeNameMatcher(target.namingPattern);
  const namesInOtherProjects = selectTaken(names, taken).filter(feature => feature.project !== project);
  const takenNames = new Set(taken.map(({ name }) => name));
  const newNames = names.filter(name => !takenNames.has(name));
  const freeSlots = target.featureLimit === null ? Infinity : target.featureLimit - target.activeFeatures;
  return [
    makeFinding(
      'Features with these names exist in a different project, so they can only be cloned or moved from there',
      namesInOtherProjects.map(({ name }) => name),
    ),
    makeFinding(
      `These names do not match the naming pattern of the project, ${target.namingPattern}`,
      newNames.filter(name => !matchesPattern(name)),
    ),
    makeFinding(
      `The feature limit of the project allows ${formatCount(Math.max(0, freeSlots), 'more feature')}, but these features are new`,
      newNames.length > freeSlots ? newNames : [],
    ),
  ];
}

function selectTaken(names: string[], takenFeatures: ExistingNames['taken']): ExistingNames['taken'] {
  const nameSet = new Set(names);
  return takenFeatures.filter(({ name }) => nameSet.has(name));
}

function findReferenceErrors(data: FeatureExport, existingNames: ExistingNames): Finding[] {
  const tagTypes = new Set([...existingNames.tagTypes, ...(data.tagTypes ?? []).map(({ name }) => name)]);
  const segments = new Set(existingNames.segments.map(({ name }) => name));
  const [strategyTypes, featureTypes] = [
    new Set(existingNames.strategyTypes),
    new Set(existingNames.featureTypes),
  ];
  const usedSegmentIds = new Set(data.featureStrategies.flatMap(({ segments: ids = [] }) => ids));
  return [
    makeFinding(
      'These strategy types do not exist',
      data.featureStrategies.map(({ name }) => name).filter(name => !strategyTypes.has(name)),
    ),
    makeFinding(
      'These feature types do not exist',
      data.features.flatMap(({ type }) => (type && !featureTypes.has(type) ? [type] : [])),
    ),
    makeFinding(
      'These segments do not exist in the project',
      (data.segments ?? [])
        .filter(({ id, name }) => usedSegmentIds.has(id) && !segments.has(name))
        .map(({ name }) => name),
    ),
    makeFinding(
      'Context fields with these names exist in a different project',
      (data.contextFields ?? [])
        .map(({ name }) => name)
        .filter(name => existingNames.foreignContextFields.includes(name)),
    ),
    makeFinding(
      'These tag types exist neither in this instance nor in the data',
      (data.featureTags ?? []).map(({ tagType }) => tagType).filter(type => !tagTypes.has(type)),
    ),
  ];
}

/** Finds parents that are neither active in the project nor part of the import, and parents that would be children too. */
function findDependencyErrors(data: FeatureExport, existingFeatures: FeatureState[]): Finding[] {
  const importedDependencies = data.dependencies ?? [];
  const names = new Set([
    ...getFeatureNames(data),
    ...existingFeatures.filter(({ archived }) => !archived).map(({ name }) => name),
  ]);
  const parents = new Set([
    ...importedDependencies.flatMap(({ dependencies }) => dependencies.map(({ feature }) => feature)),
    ...existingFeatures.filter(({ children }) => children.length > 0).map(({ name }) => name),
  ]);
  const children = new Set([
    ...importedDependencies
      .filter(({ dependencies }) => dependencies.length > 0)
      .map(({ feature }) => feature),
    ...existingFeatures.filter(({ dependencies }) => dependencies.length > 0).map(({ name }) => name),
  ]);
  const dependencies = importedDependencies.flatMap(entry => entry.dependencies);
  return [
    makeFinding(
      'These parents are neither active in the project nor part of the import',
      dependencies.map(({ feature }) => feature).filter(name => !names.has(name)),
    ),
    makeFinding(
      'These features would be both parent and child',
      [...children].filter(name => parents.has(name)),
    ),
    makeFinding(
      'Dependencies on these parents require the parent to be disabled, so they cannot have variants',
      dependencies
        .filter(({ enabled, variants = [] }) => enabled === false && variants.length > 0)
        .map(({ feature }) => feature),
    ),
  ];
}

/** Collects violations in constraints, weights, rollouts and links, each with the features that have it. */
async function findValueErrors(db: Reader, data: FeatureExport, project: string): Promise<Finding[]> {
  const lists = data.featureStrategies.map(({ constraints = [] }) => constraints);
  const violations = await validateConstraintLists(db, lists, project);
  const featuresByMessage = new Map<string, Set<string>>();
  const addViolation = (message: string, featureName: string) =>
    featuresByMessage.set(message, (featuresByMessage.get(message) ?? new Set()).add(featureName));
  for (const [index, strategy] of data.featureStrategies.entries()) {
    const { featureName, variants = [] } = strategy;
    for (const { message } of violations[index] ?? []) addViolation(`Constraint: ${message}`, featureName);
    for (const { message } of distributeWeights(variants, '').violations ?? [])
      addViolation(`Strategy variants: ${message}`, featureName);
    const strategyFields = { name: strategy.name, parameters: strategy.parameters ?? {} };
    for (const { message } of [
      ...findRolloutViolations(strategyFields),
      ...findParameterViolations(strategyFields, ''),
    ])
      addViolation(`Strategy: ${message}`, featureName);
  }
  for (const { featureName, variants = [] } of data.featureEnvironments ?? []) {
    const problems = [
      ...(distributeWeights(variants, '').violations ?? []),
      ...findStickinessViolations(variants, ''),
    ];
    for (const { message } of problems) addViolation(`Variants: ${message}`, featureName);
  }
  for (const { feature, links } of data.links ?? []) {
    for (const { url } of links) {
      const violation = findUrlViolation(url);
      if (violation !== undefined) addViolation(`Link: ${violation}`, feature);
    }
  }
  return [...featuresByMessage].map(([message, items]) => makeFinding(message, items));
}

function listRequiredPermissions(
  data: FeatureExport,
  existingNames: ExistingNames,
  project: string,
): Permission[] {
  const names = getFeatureNames(data);
  const namesInProject = selectTaken(names, existingNames.taken).filter(
    feature => feature.project === project,
  );
  const { fields, tagTypes } = findMissingFieldsAndTagTypes(data, existingNames);
  const hasVariants = (data.featureEnvironments ?? []).some(({ variants: list = [] }) => list.length > 0);
  return [
    'UPDATE_FEATURE_ENVIRONMENT',
    'CREATE_FEATURE_STRATEGY',
    ...(namesInProject.length < names.length ? ['CREATE_FEATURE' as const] : []),
    ...(namesInProject.length > 0
      ? (['UPDATE_FEATURE', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const)
      : []),
    ...((data.featureTags ?? []).length > 0 || (data.links ?? []).length > 0
      ? ['UPDATE_FEATURE' as const]
      : []),
    ...((data.dependencies ?? []).length > 0 ? ['UPDATE_FEATURE_DEPENDENCY' as const] : []),
    ...(hasVariants ? ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS' as const] : []),
    ...(tagTypes.length > 0 ? ['CREATE_TAG_TYPE' as const] : []),
    ...(fields.length > 0 ? ['CREATE_CONTEXT_FIELD' as const] : []),
  ];
}

/** Returns the names of the features that are enabled in the environment. */
const getEnabledNames = (features: FeatureState[], environment: string): Set<string> =>
  new Set(
    features
      .filter(({ environments }) => environments.some(({ name, enabled }) => name === environment && enabled))
      .map(({ name }) => name),
  );

/** Returns the context fields and tag types of the data that do not exist in this instance. */
export function findMissingFieldsAndTagTypes(data: FeatureExport, existingNames: ExistingNames) {
  const fields = new Set(existingNames.contextFields.map(({ name }) => name));
  const tagTypes = new Set(existingNames.tagTypes);
  return {
    fields: (data.contextFields ?? []).filter(({ name }) => !fields.has(name)),
    tagTypes: (data.tagTypes ?? []).filter(({ name }) => !tagTypes.has(name)),
  };
}

function findWarnings(
  data: FeatureExport,
  existingNames: ExistingNames,
  project: string,
  enabledNames: Set<string>,
): Finding[] {
  const resolveEnabled = makeEnabledStateResolver(data);
  const namesInProject = selectTaken(getFeatureNames(data), existingNames.taken).filter(
    feature => feature.project === project,
  );
  const archivedNames = new Set(namesInProject.filter(feature => feature.archived).map(({ name }) => name));
  const legalValuesByField = new Map(
    existingNames.contextFields.map(field => [
      field.name,
      new Set(field.legalValues.map(({ value }) => value)),
    ]),
  );
  const differingFields = (data.contextFields ?? []).filter(({ name, legalValues = [] }) =>
    legalValues.some(({ value }) => legalValuesByField.get(name)?.has(value) === false),
  );
  return [
    makeFinding(
      'These features are archived and will not change',
      namesInProject.filter(({ archived }) => archived).map(({ name }) => name),
    ),
    makeFinding(
      'These features exist and will be overwritten',
      namesInProject.filter(({ archived }) => !archived).map(({ name }) => name),
    ),
    makeFinding(
      'These features have no enabled strategy in the data and will be disabled',
      getFeatureNames(data).filter(
        name => !archivedNames.has(name) && resolveEnabled(name, enabledNames.has(name)).lacksStrategy,
      ),
    ),
    makeFinding(
      'These context fields exist with different legal values and will not change',
      differingFields.map(({ name }) => name),
    ),
  ];
}
