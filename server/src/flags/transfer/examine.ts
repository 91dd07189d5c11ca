import { counted } from '../../../../plane/src/platform/errors.ts';
import { missingPermissions } from '../../access/held-permissions.ts';
import type { Permission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { validateConstraintLists } from '../../targeting/constraints/validate.ts';
import { parameterViolations } from '../../targeting/rule-text/violations.ts';
import { stickinessViolations } from '../../targeting/variants/stickiness.ts';
import { distributeWeights } from '../../targeting/variants/weights.ts';
import { MAX_STRATEGIES } from '../feature-environments/schema.ts';
import { rolloutViolations } from '../feature-environments/validate-strategy.ts';
import { nameMatcher } from '../features/project-rules.ts';
import type { FeatureState } from '../features/schema.ts';
import { urlViolation } from '../links/validate.ts';
import { enabledAfter } from './enabled-after.ts';
import type { FeatureExport, Finding, ImportReport, ImportRequest } from './schema.ts';
import { type ExistingNames, findExistingNames } from './store.ts';

/** The rules of the target project for new features. */
export type TargetProject = {
  namingPattern: string | null;
  featureLimit: number | null;
  activeFeatures: number;
  archived: boolean;
};

/** A finding with the path of the field in the request, if it is not about the data. */
type PlacedFinding = Finding & { path?: string };
export type Examined = Omit<ImportReport, 'errors'> & { errors: PlacedFinding[]; known: ExistingNames };

/** Collects every finding about an import before anything is written, in a fixed number of statements. */
export async function examineImport(
  db: Reader,
  actor: Actor,
  { project, environment, data }: ImportRequest,
  target: TargetProject,
  existing: FeatureState[],
): Promise<Examined> {
  const known = await findExistingNames(db, project, namedIn(data));
  const required = requiredPermissions(data, known, project);
  const missing = await missingPermissions(db, actor, required, project, environment);
  const values = await valueFindings(db, data, project);
  const errors: PlacedFinding[] = [
    ...environmentFindings(known, project, environment),
    ...consistencyFindings(data),
    ...nameFindings(data, known, project, target),
    ...referenceFindings(data, known),
    ...dependencyFindings(data, existing),
    ...values,
  ];
  return {
    known,
    errors: errors.filter(({ affectedItems }) => affectedItems.length > 0),
    warnings: warnings(data, known, project, enabledIn(existing, environment)).filter(
      ({ affectedItems }) => affectedItems.length > 0,
    ),
    permissions: missing.length === 0 ? [] : [finding('You lack these permissions', missing)],
    effect: effectOf(data, known, project),
  };
}

const finding = (message: string, affectedItems: Iterable<string>): Finding => ({
  message,
  affectedItems: [...new Set(affectedItems)].toSorted(),
});

function effectOf(data: FeatureExport, known: ExistingNames, project: string): ImportReport['effect'] {
  const names = unique(namesOf(data)).toSorted();
  const taken = new Map(takenAmong(names, known.taken).map(one => [one.name, one]));
  const here = names.filter(name => taken.get(name)?.project === project);
  const { fields, tagTypes } = missingIn(data, known);
  return {
    created: names.filter(name => !taken.has(name)),
    overwritten: here.filter(name => !taken.get(name)?.archived),
    leftOut: here.filter(name => taken.get(name)?.archived),
    contextFields: unique(fields.map(({ name }) => name)),
    tagTypes: unique(tagTypes.map(({ name }) => name)),
  };
}

const unique = (names: string[]): string[] => [...new Set(names)];

const namesOf = (data: FeatureExport): string[] => data.features.map(({ name }) => name);

/** All names in the data that may or may not exist in this instance. */
export function namedIn(data: FeatureExport) {
  const constraints = data.featureStrategies.flatMap(({ constraints = [] }) => constraints);
  const parents = (data.dependencies ?? []).flatMap(({ dependencies }) => dependencies);
  return {
    features: unique([...namesOf(data), ...parents.map(({ feature }) => feature)]),
    strategyTypes: unique(data.featureStrategies.map(({ name }) => name)),
    segments: unique((data.segments ?? []).map(({ name }) => name)),
    contextFields: unique([
      ...constraints.map(({ contextName }) => contextName),
      ...(data.contextFields ?? []).map(({ name }) => name),
    ]),
    tags: (data.featureTags ?? []).map(({ tagType, tagValue }) => ({ type: tagType, value: tagValue })),
  };
}

function environmentFindings(
  { environments }: ExistingNames,
  project: string,
  environment: string,
): PlacedFinding[] {
  if (environments.includes(environment)) return [];
  return [
    {
      ...finding(`Project "${project}" does not have this environment`, [environment]),
      path: '/body/environment',
    },
  ];
}

/** Contradictions within the data. */
function consistencyFindings(data: FeatureExport): Finding[] {
  const names = new Set(namesOf(data));
  const segments = new Set((data.segments ?? []).map(({ id }) => id));
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const others = [
    ...data.featureStrategies.map(({ featureName }) => featureName),
    ...(data.featureEnvironments ?? []).map(({ featureName }) => featureName),
    ...(data.featureTags ?? []).map(({ featureName }) => featureName),
    ...(data.dependencies ?? []).map(({ feature }) => feature),
    ...(data.links ?? []).map(({ feature }) => feature),
  ];
  return [
    finding('These features are listed more than once', duplicates(namesOf(data))),
    finding(
      'These features are listed more than once in featureEnvironments',
      duplicates((data.featureEnvironments ?? []).map(({ featureName }) => featureName)),
    ),
    finding(
      'The data has parts of these features, but the features are not listed',
      others.filter(name => !names.has(name)),
    ),
    finding(
      `These features have more than ${MAX_STRATEGIES} strategies, the maximum`,
      [...names].filter(name => (strategies.get(name) ?? []).length > MAX_STRATEGIES),
    ),
    finding(
      'Strategies refer to these segment ids, but the data does not have their names',
      data.featureStrategies
        .flatMap(({ segments = [] }) => segments)
        .filter(id => !segments.has(id))
        .map(String),
    ),
  ];
}

function duplicates(names: string[]): string[] {
  const seen = new Set<string>();
  return names.filter(name => seen.size === seen.add(name).size);
}

function nameFindings(
  data: FeatureExport,
  { taken }: ExistingNames,
  project: string,
  target: TargetProject,
): Finding[] {
  const names = namesOf(data);
  const fits = nameMatcher(target.namingPattern);
  const elsewhere = takenAmong(names, taken).filter(one => one.project !== project);
  const there = new Set(taken.map(({ name }) => name));
  const fresh = names.filter(name => !there.has(name));
  const free = target.featureLimit === null ? Infinity : target.featureLimit - target.activeFeatures;
  return [
    finding(
      'Features with these names exist in a different project',
      elsewhere.map(({ name }) => name),
    ),
    finding(
      `These names do not match the naming pattern of the project, ${target.namingPattern}`,
      fresh.filter(name => !fits(name)),
    ),
    finding(
      `The feature limit of the project allows ${counted(Math.max(0, free), 'more feature')}, but these are new`,
      fresh.length > free ? fresh : [],
    ),
  ];
}

function takenAmong(names: string[], taken: ExistingNames['taken']): ExistingNames['taken'] {
  const wanted = new Set(names);
  return taken.filter(({ name }) => wanted.has(name));
}

function referenceFindings(data: FeatureExport, known: ExistingNames): Finding[] {
  const tagTypes = new Set([...known.tagTypes, ...(data.tagTypes ?? []).map(({ name }) => name)]);
  const segments = new Set(known.segments.map(({ name }) => name));
  const [strategyTypes, featureTypes] = [new Set(known.strategyTypes), new Set(known.featureTypes)];
  const used = new Set(data.featureStrategies.flatMap(({ segments: ids = [] }) => ids));
  return [
    finding(
      'These strategy types do not exist',
      data.featureStrategies.map(({ name }) => name).filter(name => !strategyTypes.has(name)),
    ),
    finding(
      'These feature types do not exist',
      data.features.flatMap(({ type }) => (type && !featureTypes.has(type) ? [type] : [])),
    ),
    finding(
      'These segments do not exist in the project',
      (data.segments ?? [])
        .filter(({ id, name }) => used.has(id) && !segments.has(name))
        .map(({ name }) => name),
    ),
    finding(
      'Context fields with these names exist in a different project',
      (data.contextFields ?? [])
        .map(({ name }) => name)
        .filter(name => known.foreignContextFields.includes(name)),
    ),
    finding(
      'These tag types exist neither in this instance nor in the data',
      (data.featureTags ?? []).map(({ tagType }) => tagType).filter(type => !tagTypes.has(type)),
    ),
  ];
}

/** Parents must be active in the project or part of the import, and a parent cannot be a child. */
function dependencyFindings(data: FeatureExport, existing: FeatureState[]): Finding[] {
  const imported = data.dependencies ?? [];
  const names = new Set([
    ...namesOf(data),
    ...existing.filter(({ archived }) => !archived).map(({ name }) => name),
  ]);
  const parents = new Set([
    ...imported.flatMap(({ dependencies }) => dependencies.map(({ feature }) => feature)),
    ...existing.filter(({ children }) => children.length > 0).map(({ name }) => name),
  ]);
  const children = new Set([
    ...imported.filter(({ dependencies }) => dependencies.length > 0).map(({ feature }) => feature),
    ...existing.filter(({ dependencies }) => dependencies.length > 0).map(({ name }) => name),
  ]);
  const dependencies = imported.flatMap(one => one.dependencies);
  return [
    finding(
      'These parents are neither active in the project nor part of the import',
      dependencies.map(({ feature }) => feature).filter(name => !names.has(name)),
    ),
    finding(
      'These features would be both parent and child',
      [...children].filter(name => parents.has(name)),
    ),
    finding(
      'Dependencies on these parents require the parent to be disabled, so they cannot have variants',
      dependencies
        .filter(({ enabled, variants = [] }) => enabled === false && variants.length > 0)
        .map(({ feature }) => feature),
    ),
  ];
}

/** Violations in constraints, weights, rollouts and links, each with the features that have it. */
async function valueFindings(db: Reader, data: FeatureExport, project: string): Promise<Finding[]> {
  const lists = data.featureStrategies.map(({ constraints = [] }) => constraints);
  const violations = await validateConstraintLists(db, lists, project);
  const found = new Map<string, Set<string>>();
  const add = (message: string, featureName: string) =>
    found.set(message, (found.get(message) ?? new Set()).add(featureName));
  for (const [index, strategy] of data.featureStrategies.entries()) {
    const { featureName, variants = [] } = strategy;
    for (const { message } of violations[index] ?? []) add(`Constraint: ${message}`, featureName);
    for (const { message } of distributeWeights(variants, '').violations ?? [])
      add(`Strategy variants: ${message}`, featureName);
    const ofParameters = { name: strategy.name, parameters: strategy.parameters ?? {} };
    for (const { message } of [...rolloutViolations(ofParameters), ...parameterViolations(ofParameters, '')])
      add(`Strategy: ${message}`, featureName);
  }
  for (const { featureName, variants = [] } of data.featureEnvironments ?? []) {
    const problems = [
      ...(distributeWeights(variants, '').violations ?? []),
      ...stickinessViolations(variants, ''),
    ];
    for (const { message } of problems) add(`Variants: ${message}`, featureName);
  }
  for (const { feature, links } of data.links ?? []) {
    for (const { url } of links) {
      const mistake = urlViolation(url);
      if (mistake !== undefined) add(`Link: ${mistake}`, feature);
    }
  }
  return [...found].map(([message, items]) => finding(message, items));
}

function requiredPermissions(data: FeatureExport, known: ExistingNames, project: string): Permission[] {
  const names = namesOf(data);
  const here = takenAmong(names, known.taken).filter(one => one.project === project);
  const { fields, tagTypes } = missingIn(data, known);
  const variants = (data.featureEnvironments ?? []).some(({ variants: list = [] }) => list.length > 0);
  return [
    'UPDATE_FEATURE_ENVIRONMENT',
    'CREATE_FEATURE_STRATEGY',
    ...(here.length < names.length ? ['CREATE_FEATURE' as const] : []),
    ...(here.length > 0
      ? (['UPDATE_FEATURE', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const)
      : []),
    ...((data.featureTags ?? []).length > 0 || (data.links ?? []).length > 0
      ? ['UPDATE_FEATURE' as const]
      : []),
    ...((data.dependencies ?? []).length > 0 ? ['UPDATE_FEATURE_DEPENDENCY' as const] : []),
    ...(variants ? ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS' as const] : []),
    ...(tagTypes.length > 0 ? ['CREATE_TAG_TYPE' as const] : []),
    ...(fields.length > 0 ? ['CREATE_CONTEXT_FIELD' as const] : []),
  ];
}

/** Names of the features that are enabled in the environment. */
const enabledIn = (features: FeatureState[], environment: string): Set<string> =>
  new Set(
    features
      .filter(({ environments }) => environments.some(({ name, enabled }) => name === environment && enabled))
      .map(({ name }) => name),
  );

/** Context fields and tag types of the data that do not exist in this instance. */
export function missingIn(data: FeatureExport, known: ExistingNames) {
  const fields = new Set(known.contextFields.map(({ name }) => name));
  const tagTypes = new Set(known.tagTypes);
  return {
    fields: (data.contextFields ?? []).filter(({ name }) => !fields.has(name)),
    tagTypes: (data.tagTypes ?? []).filter(({ name }) => !tagTypes.has(name)),
  };
}

function warnings(
  data: FeatureExport,
  known: ExistingNames,
  project: string,
  enabledHere: Set<string>,
): Finding[] {
  const after = enabledAfter(data);
  const here = takenAmong(namesOf(data), known.taken).filter(one => one.project === project);
  const archived = new Set(here.filter(one => one.archived).map(({ name }) => name));
  const legal = new Map(
    known.contextFields.map(field => [field.name, new Set(field.legalValues.map(({ value }) => value))]),
  );
  const differing = (data.contextFields ?? []).filter(({ name, legalValues = [] }) =>
    legalValues.some(({ value }) => legal.get(name)?.has(value) === false),
  );
  return [
    finding(
      'These features are archived and will not change',
      here.filter(({ archived }) => archived).map(({ name }) => name),
    ),
    finding(
      'These features exist and will be overwritten',
      here.filter(({ archived }) => !archived).map(({ name }) => name),
    ),
    finding(
      'These features have no enabled strategy in the data and will be disabled',
      namesOf(data).filter(name => !archived.has(name) && after(name, enabledHere.has(name)).lacksStrategy),
    ),
    finding(
      'These context fields exist with different legal values and will not change',
      differing.map(({ name }) => name),
    ),
  ];
}
