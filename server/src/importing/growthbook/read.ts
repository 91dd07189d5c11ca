import { all } from '../rules/logic.ts';
import {
  type Flag,
  type Parent,
  type Rule,
  type Targeting,
  UnsupportedError,
  type Variation,
} from '../rules/model.ts';
import { catchUnsupported, nameVariations, serveShare } from '../rules/read.ts';
import { type ConditionReader, makeConditionReader } from './conditions.ts';
import type { Environment, Feature, GrowthBookRule, Organization } from './schema.ts';

/** The attribute for the user id in GrowthBook's examples and defaults. */
const USER_ID = 'id';

export function readGrowthBook(organization: Organization): Flag[] {
  const reader = makeConditionReader(organization.savedGroups, makeFieldMapper(organization));
  const byId = new Map(organization.features.map(feature => [feature.id, feature]));
  return organization.features
    .filter(({ archived }) => !archived)
    .map(feature => {
      const variations = collectVariations(feature);
      return {
        key: feature.id,
        description: feature.description ?? '',
        tags: feature.tags ?? [],
        type: 'release',
        variations: nameVariations(variations),
        environments: new Map(
          Object.entries(feature.environments).map(([name, environment]) => [
            name,
            catchUnsupported(() => readTargeting(feature, environment, variations, reader, byId)),
          ]),
        ),
      };
    });
}

/** Returns a function that maps `id` to `userId`, unless rules also use an attribute named `userId`. */
function makeFieldMapper(organization: Organization): (attribute: string) => string {
  const usesUserId = /"userId\\*"/.test(JSON.stringify(organization));
  return attribute => (attribute === USER_ID && !usesUserId ? 'userId' : attribute);
}

function readTargeting(
  feature: Feature,
  { enabled, defaultValue = feature.defaultValue, rules = [] }: Environment,
  variations: Variation[],
  reader: ConditionReader,
  byId: ReadonlyMap<string, Feature>,
): Targeting {
  const findVariation = (value: unknown): number => {
    if (feature.valueType === 'boolean' && value !== 'true' && value !== 'false')
      throw new UnsupportedError(`the value ${JSON.stringify(value)} of a boolean feature`);
    const { payload, enabled: isTrue } = makeVariation(feature, value);
    return variations.findIndex(
      variation => variation.enabled === isTrue && variation.payload?.value === payload?.value,
    );
  };
  return {
    on: enabled,
    // GrowthBook does not send a feature to SDKs while it is off in an environment, so applications use their own default.
    off: undefined,
    parents: (feature.prerequisites ?? []).map(id => readParent(id, byId)),
    rules: rules
      .filter(rule => rule.enabled !== false)
      .flatMap((rule, index) => readRule(rule, index, findVariation, reader)),
    otherwise: { variation: findVariation(defaultValue) },
    negationMatchesMissingField: true,
  };
}

/** A prerequisite must be true for the flag to apply, so it must be a boolean feature. */
function readParent(id: unknown, byId: ReadonlyMap<string, Feature>): Parent {
  const parent = byId.get(String(id));
  if (parent?.valueType !== 'boolean' || parent.archived)
    throw new UnsupportedError(`the prerequisite "${id}", which is not a boolean feature in the data`);
  return { key: parent.id, variation: BOOLEAN_VARIATIONS.findIndex(({ enabled }) => enabled) };
}

function readRule(
  rule: GrowthBookRule,
  index: number,
  findVariation: (value: unknown) => number,
  { readCondition, readGroups, mapField }: ConditionReader,
): Rule[] {
  const { type, description, condition, savedGroupTargeting = [], value } = rule;
  if (type !== 'force' && type !== 'rollout') throw new UnsupportedError(`a rule of type "${type}"`);
  if ((rule.prerequisites ?? []).length > 0) throw new UnsupportedError('a rule with a prerequisite');
  if ((rule.scheduleRules ?? []).length > 0 || !['none', undefined].includes(rule.scheduleType))
    throw new UnsupportedError('a schedule');
  const title = description || `Rule ${index + 1}`;
  const when = all(readCondition(condition), ...savedGroupTargeting.map(readGroups));
  const coverage = type === 'rollout' ? (rule.coverage ?? 1) : 1;
  return serveShare(title, when, findVariation(value), coverage, mapField(rule.hashAttribute || USER_ID));
}

const BOOLEAN_VARIATIONS: Variation[] = [
  { name: 'true', enabled: true },
  { name: 'false', enabled: false },
];

/** Collects the values that the feature can have, because GrowthBook does not list them. */
function collectVariations(feature: Feature): Variation[] {
  if (feature.valueType === 'boolean') return BOOLEAN_VARIATIONS;
  const values = Object.values(feature.environments).flatMap(({ defaultValue, rules = [] }) => [
    ...(defaultValue === undefined ? [] : [defaultValue]),
    ...rules.filter(({ type }) => type === 'force' || type === 'rollout').map(({ value }) => value),
  ]);
  const variations = [feature.defaultValue, ...values].map(value => makeVariation(feature, value));
  return [...new Map(variations.map(variation => [variation.payload?.value, variation])).values()];
}

/** The API returns every value as a string. */
function makeVariation({ valueType }: Feature, value: unknown): Variation {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  if (valueType === 'boolean') return { name: text, enabled: text === 'true' };
  return { name: text, enabled: true, payload: { type: valueType, value: text } };
}
