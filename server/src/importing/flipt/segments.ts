import type { Operator } from '../../targeting/constraints/schema.ts';
import { all, any, asReference } from '../rules/logic.ts';
import { type AnyOf, UnsupportedError } from '../rules/model.ts';
import type { FliptConstraint, FliptSegment, SegmentRule } from './schema.ts';

export type ReadSegments = (rule: SegmentRule) => AnyOf;

type Definition = { operator: Operator; negated?: boolean };

const STRING_OPERATORS: Record<string, Definition> = {
  eq: { operator: 'IN' },
  neq: { operator: 'IN', negated: true },
  isoneof: { operator: 'IN' },
  isnotoneof: { operator: 'IN', negated: true },
  prefix: { operator: 'STR_STARTS_WITH' },
  suffix: { operator: 'STR_ENDS_WITH' },
  contains: { operator: 'STR_CONTAINS' },
  notcontains: { operator: 'STR_CONTAINS', negated: true },
};
/** There are no date operators, because SDKs can compare a date only with the current time. */
const OPERATORS: Record<string, Record<string, Definition>> = {
  STRING_COMPARISON_TYPE: STRING_OPERATORS,
  ENTITY_ID_COMPARISON_TYPE: STRING_OPERATORS,
  NUMBER_COMPARISON_TYPE: {
    eq: { operator: 'NUM_EQ' },
    neq: { operator: 'NUM_EQ', negated: true },
    lt: { operator: 'NUM_LT' },
    lte: { operator: 'NUM_LTE' },
    gt: { operator: 'NUM_GT' },
    gte: { operator: 'NUM_GTE' },
  },
  BOOLEAN_COMPARISON_TYPE: { true: { operator: 'IN' }, false: { operator: 'IN' } },
};
/** The values that Flipt treats as true and as false. */
const BOOLEANS: Record<string, string[]> = {
  true: ['true', 'TRUE', 'True', 't', 'T', '1'],
  false: ['false', 'FALSE', 'False', 'f', 'F', '0'],
};

/** Returns a function that reads which users a rule matches. It resolves the segments of the namespace. */
export function makeSegmentReader(segments: FliptSegment[]): ReadSegments {
  const byKey = new Map(segments.map(segment => [segment.key, segment]));
  const readSegment = (key: string): AnyOf => {
    const segment = byKey.get(key);
    if (!segment) throw new UnsupportedError(`segment "${key}", which is not in the data`);
    const constraints = (segment.constraints ?? []).map(readConstraint);
    // A segment without constraints matches everyone.
    const isAny = segment.match_type === 'ANY_MATCH_TYPE' && constraints.length > 0;
    return asReference(key, isAny ? any(...constraints) : all(...constraints));
  };
  return rule => {
    const { key, keys = key === undefined ? [] : [key], operator } = expand(rule);
    if (keys.length === 0) throw new UnsupportedError('a rule without a segment');
    const parts = keys.map(readSegment);
    return operator === 'AND_SEGMENT_OPERATOR' ? all(...parts) : any(...parts);
  };
}

const expand = (rule: SegmentRule): Exclude<SegmentRule, string | string[]> => {
  if (typeof rule === 'string') return { keys: [rule] };
  return Array.isArray(rule) ? { keys: rule } : rule;
};

function readConstraint({ type, property = '', operator: operatorName, value = '' }: FliptConstraint): AnyOf {
  const name = String(operatorName);
  const definition = OPERATORS[type]?.[name];
  if (!definition) throw new UnsupportedError(`the operator "${name}" for ${type}`);
  const { operator, negated = false } = definition;
  const field = type === 'ENTITY_ID_COMPARISON_TYPE' ? 'userId' : property;
  return [[{ field, operator, values: readValues(type, name, String(value)), negated }]];
}

function readValues(type: string, name: string, value: string): string[] {
  if (type === 'BOOLEAN_COMPARISON_TYPE') return BOOLEANS[name] ?? [];
  if (name === 'isoneof' || name === 'isnotoneof') return readList(value);
  return [value];
}

/** Parses a list, which Flipt stores as a JSON string. */
function readList(value: string): string[] {
  try {
    const list: unknown = JSON.parse(value);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // Reported below.
  }
  throw new UnsupportedError(`the list "${value}", which is not a JSON array`);
}
