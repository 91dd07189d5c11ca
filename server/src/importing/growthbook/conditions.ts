import type { Operator } from '../../targeting/constraints/schema.ts';
import { ALWAYS, all, any, asReference, not } from '../rules/logic.ts';
import { type AnyOf, UnsupportedError } from '../rules/model.ts';
import type { GroupTargeting, SavedGroup } from './schema.ts';

export type ConditionReader = {
  /** Reads a JSON condition. An empty string means a condition that is always true. */
  readCondition: (text: string | undefined) => AnyOf;
  readGroups: (targeting: GroupTargeting) => AnyOf;
  /** Returns the context field for an attribute. */
  mapField: (attribute: string) => string;
};

const ORDER_OPERATORS: Record<string, Operator> = {
  $lt: 'NUM_LT',
  $lte: 'NUM_LTE',
  $gt: 'NUM_GT',
  $gte: 'NUM_GTE',
};
const VERSION_OPERATORS: Record<string, { operator: Operator; negated?: boolean }> = {
  $veq: { operator: 'SEMVER_EQ' },
  $vne: { operator: 'SEMVER_EQ', negated: true },
  $vlt: { operator: 'SEMVER_LT' },
  $vlte: { operator: 'SEMVER_LTE' },
  $vgt: { operator: 'SEMVER_GT' },
  $vgte: { operator: 'SEMVER_GTE' },
};
/** Limits how deeply conditions can be nested, because each level is a recursive call. */
const MAX_LEVELS = 10;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a reader for rule conditions. It resolves the saved groups that they refer to. */
export function makeConditionReader(
  groups: SavedGroup[],
  mapField: (attribute: string) => string,
): ConditionReader {
  const byId = new Map(groups.map(group => [group.id, group]));

  const parse = (text: string | undefined, level: number): AnyOf => {
    if (text === undefined || text.trim() === '') return ALWAYS;
    let condition: unknown;
    try {
      condition = JSON.parse(text);
    } catch {
      throw new UnsupportedError('a condition that is not JSON');
    }
    return readObject(condition, level);
  };

  const readObject = (condition: unknown, level: number): AnyOf => {
    if (!isObject(condition)) throw new UnsupportedError('a condition that is not an object');
    if (level > MAX_LEVELS)
      throw new UnsupportedError(`conditions nested more than ${MAX_LEVELS} levels deep`);
    return all(...Object.entries(condition).map(([key, value]) => readMember(key, value, level + 1)));
  };

  const readMember = (key: string, value: unknown, level: number): AnyOf => {
    const readList = () => (Array.isArray(value) ? value : [value]).map(member => readObject(member, level));
    if (key === '$and') return all(...readList());
    // GrowthBook treats an empty list of alternatives as true.
    if (key === '$or') return isEmpty(value) ? ALWAYS : any(...readList());
    if (key === '$nor') return isEmpty(value) ? [] : not(any(...readList()));
    if (key === '$not') return not(readObject(value, level));
    if (key.startsWith('$')) throw new UnsupportedError(`the operator "${key}"`);
    return readValue(readField(key), value, level);
  };

  const readField = (attribute: string): string => {
    if (attribute.includes('.')) throw new UnsupportedError(`the nested attribute "${attribute}"`);
    return mapField(attribute);
  };

  const readValue = (field: string, value: unknown, level: number): AnyOf => {
    if (!isObject(value)) return readEqual(field, value);
    const entries = Object.entries(value);
    if (entries.length === 0 || entries.some(([key]) => !key.startsWith('$')))
      throw new UnsupportedError(`a comparison of "${field}" with an object`);
    return all(...entries.map(([operator, operand]) => readOperator(field, operator, operand, level)));
  };

  const readOperator = (field: string, name: string, operand: unknown, level: number): AnyOf => {
    if (name === '$not') return not(readValue(field, operand, level));
    if (name === '$eq') return readEqual(field, operand);
    if (name === '$ne') return not(readEqual(field, operand));
    if (name === '$in') return readIn(field, operand);
    if (name === '$nin') return not(readIn(field, operand));
    if (name === '$inGroup') return readGroupList(field, operand);
    if (name === '$notInGroup') return not(readGroupList(field, operand));
    if ((name === '$regex' || name === '$regexi') && typeof operand === 'string') {
      const comparison = { field, operator: 'REGEX' as const, values: [operand], negated: false };
      return [[name === '$regexi' ? { ...comparison, caseInsensitive: true } : comparison]];
    }
    const order = ORDER_OPERATORS[name];
    if (order !== undefined && typeof operand === 'number')
      return [[{ field, operator: order, values: [String(operand)], negated: false }]];
    const version = VERSION_OPERATORS[name];
    if (version !== undefined && typeof operand === 'string')
      return [[{ field, operator: version.operator, values: [operand], negated: version.negated ?? false }]];
    throw new UnsupportedError(
      order === undefined
        ? `the operator "${name}"`
        : `the operator "${name}" with ${JSON.stringify(operand)}`,
    );
  };

  /** Compares a field with a saved list, which may be about a different attribute. */
  const readGroupList = (field: string, id: unknown): AnyOf => {
    const group = findGroup(id);
    if (group.values === undefined) throw new UnsupportedError(`saved group "${group.name}" as a list`);
    return readIn(field, group.values);
  };

  const findGroup = (id: unknown): SavedGroup => {
    const group = byId.get(String(id));
    if (!group) throw new UnsupportedError(`saved group "${id}", which is not in the data`);
    return group;
  };

  const readGroup = (id: string): AnyOf => {
    const group = findGroup(id);
    const { name, attributeKey, values = [], condition } = group;
    const isList = group.type === undefined ? condition === undefined : group.type === 'list';
    const when = isList ? readIn(readField(attributeKey ?? ''), values) : parse(condition, 1);
    return asReference(name, when);
  };

  return {
    mapField,
    readCondition: text => parse(text, 0),
    readGroups: ({ matchType, savedGroups }) => {
      const parts = savedGroups.map(readGroup);
      if (parts.length === 0) return ALWAYS;
      if (matchType === 'all') return all(...parts);
      return matchType === 'any' ? any(...parts) : not(any(...parts));
    },
  };
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function readEqual(field: string, value: unknown): AnyOf {
  if (typeof value === 'number')
    return [[{ field, operator: 'NUM_EQ', values: [String(value)], negated: false }]];
  if (typeof value !== 'string' && typeof value !== 'boolean')
    throw new UnsupportedError(`a comparison of "${field}" with ${JSON.stringify(value)}`);
  return readIn(field, [value]);
}

function readIn(field: string, list: unknown): AnyOf {
  if (!Array.isArray(list) || list.some(value => !['string', 'number', 'boolean'].includes(typeof value)))
    throw new UnsupportedError(`a comparison of "${field}" with ${JSON.stringify(list)}`);
  return list.length === 0 ? [] : [[{ field, operator: 'IN', values: list.map(String), negated: false }]];
}
