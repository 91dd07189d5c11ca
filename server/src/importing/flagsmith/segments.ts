import type { Operator } from '../../targeting/constraints/schema.ts';
import { all, any, asReference, not } from '../rules/logic.ts';
import { type AnyOf, UnsupportedError } from '../rules/model.ts';
import type { EnvironmentDocument, SegmentCondition, SegmentRule } from './schema.ts';

type Segment = NonNullable<EnvironmentDocument['project']['segments']>[number];

const OPERATORS: Record<string, { operator: Operator; negated?: boolean }> = {
  EQUAL: { operator: 'IN' },
  NOT_EQUAL: { operator: 'IN', negated: true },
  CONTAINS: { operator: 'STR_CONTAINS' },
  NOT_CONTAINS: { operator: 'STR_CONTAINS', negated: true },
  REGEX: { operator: 'REGEX' },
  IN: { operator: 'IN' },
  GREATER_THAN: { operator: 'NUM_GT' },
  GREATER_THAN_INCLUSIVE: { operator: 'NUM_GTE' },
  LESS_THAN: { operator: 'NUM_LT' },
  LESS_THAN_INCLUSIVE: { operator: 'NUM_LTE' },
};
const SEMVER = ':semver';
const MAX_LEVELS = 10;

export const readSegment = ({ name, rules }: Segment): AnyOf =>
  asReference(name, all(...rules.map(rule => readRule(rule, 1))));

function readRule({ type, conditions = [], rules = [] }: SegmentRule, level: number): AnyOf {
  if (level > MAX_LEVELS)
    throw new UnsupportedError(`segment rules nested more than ${MAX_LEVELS} levels deep`);
  const parts = [
    ...conditions.map(readCondition),
    ...rules.map(rule => readRule(rule as SegmentRule, level + 1)),
  ];
  if (type === 'ALL') return all(...parts);
  // A rule without conditions is always true.
  if (type === 'ANY') return parts.length === 0 ? all() : any(...parts);
  return not(any(...parts));
}

function readCondition({ operator: name, property_: field, value }: SegmentCondition): AnyOf {
  const definition = OPERATORS[name];
  if (!definition || !field) throw new UnsupportedError(`the segment operator "${name}"`);
  const text = String(value ?? '');
  const { operator, negated = false } = definition;
  if (text.endsWith(SEMVER)) {
    const version = text.slice(0, -SEMVER.length);
    return [[{ field, operator: toSemverOperator(operator), values: [version], negated }]];
  }
  const values = name === 'IN' ? text.split(',').map(part => part.trim()) : [text];
  return [[{ field, operator, values, negated }]];
}

function toSemverOperator(operator: Operator): Operator {
  if (operator === 'IN') return 'SEMVER_EQ';
  if (operator.startsWith('NUM_')) return operator.replace('NUM_', 'SEMVER_') as Operator;
  throw new UnsupportedError('a semantic version compared as a string');
}
