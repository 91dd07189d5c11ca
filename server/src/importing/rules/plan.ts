import { Value } from 'typebox/value';
import { FeatureExport } from '../../flags/transfer/schema.ts';
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
import { type Translation, translate } from './translate.ts';

/** What an import would write, and what the user must know before it runs. */
export type Plan = {
  environments: Map<string, FeatureExport>;
  /** By name. Every project can use them. */
  segments: Map<string, Comparison[]>;
  /** Flags that stay disabled in an environment, with the reason. */
  unsupported: string[];
  /** Minor differences: rounded percentages, defaults, contexts without a field. */
  notes: string[];
  contexts: number;
};

export type PlanOptions = {
  /** Maps an environment of the source to one in Halyard. Undefined: it is not imported. */
  names: (environment: string) => string | undefined;
  /** Disables flags that split users, because users move between the variations once. */
  freezePartial?: boolean;
};

const CONTEXTS = 1_000;
const BUILT_IN_FIELDS: ReadonlySet<string> = new Set([
  'default',
  'random',
  'userId',
  'sessionId',
  'appName',
  'environment',
  'currentTime',
]);

/** Translates every flag in every environment. Flags with parents come last, so that their parents exist. */
export function planImport(flags: Flag[], { names, freezePartial = false }: PlanOptions): Plan {
  const plan: Plan = {
    environments: new Map(),
    segments: new Map(),
    unsupported: [],
    notes: [],
    contexts: 0,
  };
  const parents = parentsOf(flags, plan);
  const nameIn = segmentNames(flags);
  const ordered = flags.toSorted((a, b) => Number(parents.has(a.key)) - Number(parents.has(b.key)));
  for (const flag of ordered) {
    for (const [there, targeting] of flag.environments) {
      const environment = names(there);
      if (environment === undefined) continue;
      const data = plan.environments.get(environment) ?? emptyExport();
      plan.environments.set(environment, data);
      const label = `${flag.key} in ${environment}`;
      const translated = translation(flag, targeting, parents.get(flag.key), label, plan);
      if (freezePartial && translated.enabled && isPartial(translated)) {
        translated.enabled = false;
        plan.notes.push(`${label}: disabled, because it splits users`);
      }
      const segments = new Map(
        [...translated.segments].map(([name, comparisons]) => [nameIn(name, there), comparisons]),
      );
      addFlag(data, flag, { ...translated, segments }, parents.get(flag.key), plan);
    }
  }
  return plan;
}

const isPartial = ({ strategies }: Translated): boolean =>
  strategies.some(({ parameters, variants = [] }) => parameters?.rollout !== '100' || variants.length > 1);

type Parents = { dependencies: { feature: string; variants?: string[] }[] } | { unsupported: string };
type Translated = Translation & { enabled: boolean };
const NOTHING: Translated = { enabled: false, strategies: [], segments: new Map(), notes: [] };

function translation(
  flag: Flag,
  targeting: Targeting | Unsupported,
  parents: Parents | undefined,
  label: string,
  plan: Plan,
): Translated {
  const reject = (reason: string): Translated => {
    plan.unsupported.push(`${label}: ${reason}`);
    return NOTHING;
  };
  if (isUnsupported(targeting)) return reject(targeting.unsupported);
  if (parents && 'unsupported' in parents) return reject(parents.unsupported);
  try {
    const translated = translate(flag, targeting);
    for (const note of translated.notes) plan.notes.push(`${label}: ${note}`);
    noteDifferences(flag, targeting, translated, label, plan);
    return { ...translated, enabled: targeting.on };
  } catch (error) {
    if (error instanceof UnsupportedError) return reject(error.message);
    throw error;
  }
}

/**
 * In the source, a segment belongs to one environment; in Halyard, to all. A segment that differs between environments therefore
 * becomes several, with the environment in their names.
 */
function segmentNames(flags: Flag[]): (name: string, environment: string) => string {
  const contents = new Map<string, Set<string>>();
  for (const flag of flags)
    for (const targeting of flag.environments.values())
      for (const { segment, comparisons } of isUnsupported(targeting) ? [] : segmentsOf(targeting))
        contents.set(segment, (contents.get(segment) ?? new Set()).add(JSON.stringify(comparisons)));
  return (name, environment) => ((contents.get(name)?.size ?? 0) > 1 ? `${name}-${environment}` : name);
}

const segmentsOf = ({ rules }: Targeting): SegmentReference[] =>
  rules.flatMap(({ when }) => when.flat()).filter(isSegment);

function noteDifferences(
  flag: Flag,
  targeting: Targeting,
  translated: Translation,
  label: string,
  plan: Plan,
): void {
  const { contexts, differing, example } = compareRules(flag, targeting, translated, CONTEXTS);
  plan.contexts += contexts;
  if (differing === 0) return;
  plan.notes.push(
    `${label}: the result differs for ${differing} of ${contexts} contexts, such as ${JSON.stringify(example)}`,
  );
}

/** In Halyard, parents belong to a flag rather than to its environments, and a parent cannot have a parent. */
function parentsOf(flags: Flag[], plan: Plan): Map<string, Parents> {
  const byKey = new Map(flags.map(flag => [flag.key, flag]));
  const hasParents = (flag: Flag): boolean =>
    [...flag.environments.values()].some(one => !isUnsupported(one) && one.parents.length > 0);
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
    .filter(one => !isUnsupported(one))
    .map(one => (one as Targeting).parents);
  const different = new Set(lists.map(list => JSON.stringify(list)));
  if (different.size > 1) return { unsupported: 'prerequisites that differ between environments' };
  const dependencies: { feature: string; variants?: string[] }[] = [];
  for (const { key, variation } of lists[0] ?? []) {
    const parent = byKey.get(key);
    const required = parent?.variations[variation];
    if (!parent || !required) return { unsupported: `the prerequisite "${key}", which is not in the data` };
    if (hasParents(parent))
      return { unsupported: `the prerequisite "${key}", which has prerequisites itself` };
    if (!required.enabled) return { unsupported: `the prerequisite that "${key}" is on and false` };
    dependencies.push({ feature: key, ...(required.payload ? { variants: [required.name] } : {}) });
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

/** Adds the flag to the data, without its rules if our schemas do not accept them. */
function addFlag(
  data: FeatureExport,
  flag: Flag,
  translated: Translated,
  parents: Parents | undefined,
  plan: Plan,
): void {
  const dependencies = parents && 'dependencies' in parents ? parents.dependencies : [];
  const part: FeatureExport = {
    features: [{ name: flag.key, type: flag.type, description: flag.description }],
    featureStrategies: translated.strategies,
    featureEnvironments: [
      { featureName: flag.key, enabled: translated.enabled && translated.strategies.length > 0 },
    ],
    featureTags: flag.tags.map(tagValue => ({ featureName: flag.key, tagType: 'simple', tagValue })),
    dependencies: dependencies.length > 0 ? [{ feature: flag.key, dependencies }] : [],
  };
  const [problem] = Value.Errors(FeatureExport, part);
  if (problem) {
    plan.unsupported.push(`${flag.key}: ${problem.instancePath} ${problem.message}`);
    return;
  }
  data.features.push(...part.features);
  data.featureEnvironments?.push(...(part.featureEnvironments ?? []));
  data.featureTags?.push(...(part.featureTags ?? []));
  data.dependencies?.push(...(part.dependencies ?? []));
  addStrategies(data, translated, plan);
}

/** In the data, strategies refer to segments by their position in its list, and an import looks them up by name. */
function addStrategies(data: FeatureExport, { strategies, segments }: Translated, plan: Plan): void {
  const [names, listed] = [[...segments.keys()], data.segments ?? []];
  const idOf = (name: string): number => {
    const at = listed.findIndex(one => one.name === name);
    return at < 0 ? listed.push({ id: listed.length + 1, name }) : at + 1;
  };
  for (const strategy of strategies) {
    const ids = (strategy.segments ?? []).map(id => idOf(names[id - 1] ?? ''));
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
  const known = data.contextFields?.find(field => field.name === name);
  if (known) known.stickiness ||= stickiness;
  else data.contextFields?.push({ name, stickiness });
}
