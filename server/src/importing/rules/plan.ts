import { NAME_RULE, URL_NAME } from '@halyard/plane/platform/http/schema.ts';
import { FeatureExport } from '../../flags/transfer/schema.ts';
import { findShapeProblem } from '../reading/check-shape.ts';
import { compareRules } from './compare.ts';
import {
  type Comparison,
  type Flag,
  isSegment,
  isUnsupported,
  type SegmentReference,
  type Targeting,
  type Unsupported,
  UnsupportedError,
} from './model.ts';
import { isPartial, type Translation, translate } from './translate.ts';

/** What an import would write, and what the user should know before running it. */
export type Plan = {
  environments: Map<string, FeatureExport>;
  /** Segments by name. Every project can use them. */
  segments: Map<string, Comparison[]>;
  /** Flags that stay disabled in an environment, with the reason. */
  unsupported: string[];
  /** Minor differences, for example because of rounded percentages, defaults, or contexts that lack a field. */
  notes: string[];
  contextCount: number;
};

export type PlanOptions = {
  /** Maps a source environment to a Halyard environment, or to undefined if the environment is not imported. */
  mapEnvironment: (environment: string) => string | undefined;
  /** Disables flags that split users, because the import would switch some users to a different variation. */
  freezePartial?: boolean;
};

const CONTEXTS_PER_FLAG = 1_000;
const NAME_PATTERN = new RegExp(URL_NAME);
const BUILT_IN_FIELDS: ReadonlySet<string> = new Set([
  'default',
  'random',
  'userId',
  'sessionId',
  'appName',
  'environment',
  'currentTime',
]);

/** Translates every flag in every environment. Flags that have parents come last, so that the parents are created first. */
export function planImport(flags: Flag[], { mapEnvironment, freezePartial = false }: PlanOptions): Plan {
  const plan: Plan = {
    environments: new Map(),
    segments: new Map(),
    unsupported: [],
    notes: [],
    contextCount: 0,
  };
  const parents = collectParents(flags, plan);
  const nameSegment = makeSegmentNamer(flags);
  for (const [index, { key }] of flags.entries())
    if (key === '')
      plan.unsupported.push(`entry ${index + 1} of the flags: it has no key; give it one, or delete it`);
  const namedFlags = flags.filter(({ key }) => key !== '');
  const sortedFlags = namedFlags.toSorted((a, b) => Number(parents.has(a.key)) - Number(parents.has(b.key)));
  for (const flag of sortedFlags) {
    for (const [sourceEnvironment, targeting] of flag.environments) {
      const environment = mapEnvironment(sourceEnvironment);
      if (environment === undefined) continue;
      const data = plan.environments.get(environment) ?? emptyExport();
      plan.environments.set(environment, data);
      const label = `${flag.key} in ${environment}`;
      const translatedFlag = translateTargeting(flag, targeting, parents.get(flag.key), label, plan);
      if (freezePartial && translatedFlag.enabled && isPartial(translatedFlag.strategies)) {
        translatedFlag.enabled = false;
        plan.notes.push(`${label}: disabled, because it splits users`);
      }
      const segments = new Map(
        [...translatedFlag.segments].map(([name, comparisons]) => [
          nameSegment(name, sourceEnvironment),
          comparisons,
        ]),
      );
      addFlag(data, flag, { ...translatedFlag, segments }, parents.get(flag.key), plan);
    }
  }
  return plan;
}

type Parents = { dependencies: { feature: string; variants?: string[] }[] } | { unsupported: string };
type TranslatedFlag = Translation & { enabled: boolean };
const EMPTY_TRANSLATION: TranslatedFlag = { enabled: false, strategies: [], segments: new Map(), notes: [] };

function translateTargeting(
  flag: Flag,
  targeting: Targeting | Unsupported,
  parents: Parents | undefined,
  label: string,
  plan: Plan,
): TranslatedFlag {
  const reject = (reason: string): TranslatedFlag => {
    plan.unsupported.push(`${label}: ${reason}`);
    return EMPTY_TRANSLATION;
  };
  if (isUnsupported(targeting)) return reject(targeting.unsupported);
  if (parents && 'unsupported' in parents) return reject(parents.unsupported);
  try {
    const translatedFlag = translate(flag, targeting);
    for (const note of translatedFlag.notes) plan.notes.push(`${label}: ${note}`);
    noteDifferences(flag, targeting, translatedFlag, label, plan);
    return { ...translatedFlag, enabled: targeting.on };
  } catch (error) {
    if (error instanceof UnsupportedError) return reject(error.message);
    throw error;
  }
}

/**
 * Returns a function that names the segments to create. A source segment belongs to one environment, but a Halyard segment applies to
 * all of them, so a segment that differs between environments becomes several, with the environment in their names.
 */
function makeSegmentNamer(flags: Flag[]): (name: string, environment: string) => string {
  const contents = new Map<string, Set<string>>();
  for (const flag of flags)
    for (const targeting of flag.environments.values())
      for (const { segment, comparisons } of isUnsupported(targeting) ? [] : listSegments(targeting))
        contents.set(segment, (contents.get(segment) ?? new Set()).add(JSON.stringify(comparisons)));
  return (name, environment) => ((contents.get(name)?.size ?? 0) > 1 ? `${name}-${environment}` : name);
}

const listSegments = ({ rules }: Targeting): SegmentReference[] =>
  rules.flatMap(({ when }) => when.flat()).filter(isSegment);

function noteDifferences(
  flag: Flag,
  targeting: Targeting,
  translatedFlag: Translation,
  label: string,
  plan: Plan,
): void {
  const { contextCount, differingContextCount, example } = compareRules(
    flag,
    targeting,
    translatedFlag,
    CONTEXTS_PER_FLAG,
  );
  plan.contextCount += contextCount;
  if (differingContextCount === 0) return;
  plan.notes.push(
    `${label}: the result differs for ${differingContextCount} of ${contextCount.toLocaleString('en')} contexts, such as ${JSON.stringify(example)}`,
  );
}

/** Returns the parents of flags. In Halyard, a flag has the same parents in every environment, and a parent cannot have parents. */
function collectParents(flags: Flag[], plan: Plan): Map<string, Parents> {
  const byKey = new Map(flags.map(flag => [flag.key, flag]));
  const hasParents = (flag: Flag): boolean =>
    [...flag.environments.values()].some(
      environment => !isUnsupported(environment) && environment.parents.length > 0,
    );
  return new Map(
    flags.filter(hasParents).map(flag => [flag.key, readParents(flag, byKey, hasParents, plan)]),
  );
}

function readParents(
  flag: Flag,
  byKey: Map<string, Flag>,
  hasParents: (flag: Flag) => boolean,
  plan: Plan,
): Parents {
  const lists = [...flag.environments.values()]
    .filter(environment => !isUnsupported(environment))
    .map(environment => (environment as Targeting).parents);
  const distinctLists = new Set(lists.map(list => JSON.stringify(list)));
  if (distinctLists.size > 1) return { unsupported: 'prerequisites that differ between environments' };
  const dependencies: { feature: string; variants?: string[] }[] = [];
  for (const { key, variation } of lists[0] ?? []) {
    const parent = byKey.get(key);
    const requiredVariation = parent?.variations[variation];
    if (!parent || !requiredVariation)
      return { unsupported: `the prerequisite "${key}", which is not in the data` };
    if (hasParents(parent))
      return { unsupported: `the prerequisite "${key}", which has prerequisites itself` };
    if (!requiredVariation.enabled)
      return { unsupported: `the prerequisite that "${key}" is on and serves false` };
    dependencies.push({
      feature: key,
      ...(requiredVariation.payload ? { variants: [requiredVariation.name] } : {}),
    });
  }
  if (dependencies.length > 0)
    plan.notes.push(`${flag.key}: results were compared without its prerequisites`);
  return { dependencies };
}

const emptyExport = (): FeatureExport => ({
  features: [],
  featureStrategies: [],
  featureEnvironments: [],
  featureTags: [],
  contextFields: [],
  segments: [],
  dependencies: [],
});

/** Adds the flag to the data, or reports it as unsupported if it does not match the schema. */
function addFlag(
  data: FeatureExport,
  flag: Flag,
  translatedFlag: TranslatedFlag,
  parents: Parents | undefined,
  plan: Plan,
): void {
  const dependencies = parents && 'dependencies' in parents ? parents.dependencies : [];
  const part: FeatureExport = {
    features: [{ name: flag.key, type: flag.type, description: flag.description }],
    featureStrategies: translatedFlag.strategies,
    featureEnvironments: [
      { featureName: flag.key, enabled: translatedFlag.enabled && translatedFlag.strategies.length > 0 },
    ],
    featureTags: flag.tags.map(tagValue => ({ featureName: flag.key, tagType: 'simple', tagValue })),
    dependencies: dependencies.length > 0 ? [{ feature: flag.key, dependencies }] : [],
  };
  const problem = NAME_PATTERN.test(flag.key)
    ? findShapeProblem(part, FeatureExport)
    : `its key ${NAME_RULE}; rename it, or recreate it with a different key`;
  if (problem !== undefined) {
    plan.unsupported.push(`${flag.key}: ${problem}`);
    return;
  }
  data.features.push(...part.features);
  data.featureEnvironments?.push(...(part.featureEnvironments ?? []));
  data.featureTags?.push(...(part.featureTags ?? []));
  data.dependencies?.push(...(part.dependencies ?? []));
  addStrategies(data, translatedFlag, plan);
}

/**
 * Adds the strategies of a flag. In the data, strategies refer to segments by their position in the list of segments, and an import
 * looks segments up by name.
 */
function addStrategies(data: FeatureExport, { strategies, segments }: TranslatedFlag, plan: Plan): void {
  const [names, listedSegments] = [[...segments.keys()], data.segments ?? []];
  const getSegmentId = (name: string): number => {
    const index = listedSegments.findIndex(segment => segment.name === name);
    return index < 0 ? listedSegments.push({ id: listedSegments.length + 1, name }) : index + 1;
  };
  for (const strategy of strategies) {
    const ids = (strategy.segments ?? []).map(id => getSegmentId(names[id - 1] ?? ''));
    data.featureStrategies.push({ ...strategy, segments: ids });
    for (const { contextName } of strategy.constraints ?? []) addField(data, contextName);
    addField(data, strategy.parameters?.stickiness ?? 'default', true);
  }
  for (const [name, comparisons] of segments) {
    plan.segments.set(name, comparisons);
    for (const { field } of comparisons) addField(data, field);
  }
}

function addField(data: FeatureExport, name: string, stickiness = false): void {
  if (BUILT_IN_FIELDS.has(name)) return;
  const existingField = data.contextFields?.find(field => field.name === name);
  if (existingField) existingField.stickiness ||= stickiness;
  else data.contextFields?.push({ name, stickiness });
}
