import type { Operator } from '../../targeting/constraints/schema.ts';
import { ALWAYS, all, any, asReference, not } from '../rules/logic.ts';
import { type AnyOf, UnsupportedError } from '../rules/model.ts';
import type { Clause, LaunchDarklySegment } from './schema.ts';

export type ReadClauses = (clauses: Clause[]) => AnyOf;

const LIST_OPERATORS: Record<string, Operator> = {
  in: 'IN',
  contains: 'STR_CONTAINS',
  startsWith: 'STR_STARTS_WITH',
  endsWith: 'STR_ENDS_WITH',
};
const ORDER_OPERATORS: Record<string, Operator> = {
  matches: 'REGEX',
  lessThan: 'NUM_LT',
  lessThanOrEqual: 'NUM_LTE',
  greaterThan: 'NUM_GT',
  greaterThanOrEqual: 'NUM_GTE',
  before: 'DATE_BEFORE',
  after: 'DATE_AFTER',
  semVerEqual: 'SEMVER_EQ',
  semVerLessThan: 'SEMVER_LT',
  semVerGreaterThan: 'SEMVER_GT',
};

const pickLargest = (operands: string[]): string[] => [String(Math.max(...operands.map(Number)))];
const pickSmallest = (operands: string[]): string[] => [String(Math.min(...operands.map(Number)))];
const WIDEST_OPERANDS: Partial<Record<Operator, (operands: string[]) => string[]>> = {
  NUM_LT: pickLargest,
  NUM_LTE: pickLargest,
  NUM_GT: pickSmallest,
  NUM_GTE: pickSmallest,
  // Dates in the same format sort like strings.
  DATE_BEFORE: operands => operands.toSorted().slice(-1),
  DATE_AFTER: operands => operands.toSorted().slice(0, 1),
};

/** Limits how deeply segments can be nested, so that two segments that refer to each other do not recurse forever. */
const MAX_LEVELS = 5;

/** Returns a function that reads the clauses of an environment and resolves the segments that they refer to. */
export function makeClauseReader(segments: LaunchDarklySegment[]): ReadClauses {
  const byKey = new Map(segments.map(segment => [segment.key, segment]));

  const readAll = (clauses: Clause[], level: number): AnyOf =>
    all(
      ...clauses.map(clause =>
        clause.op === 'segmentMatch' ? readMatch(clause, level) : readClause(clause),
      ),
    );

  const readMatch = ({ values, negate = false }: Clause, level: number): AnyOf => {
    const match = any(...values.map(key => readSegment(String(key), level)));
    return negate ? not(match) : match;
  };

  const readSegment = (key: string, level: number): AnyOf => {
    const segment = byKey.get(key);
    if (!segment) throw new UnsupportedError(`segment "${key}", which is not in the data`);
    if (level > MAX_LEVELS) throw new UnsupportedError(`segment "${key}", which is nested too deeply`);
    if (segment.unbounded) throw new UnsupportedError(`segment "${key}", which is a big segment`);
    if (segment.rules?.some(({ weight }) => weight != null))
      throw new UnsupportedError(`segment "${key}", which contains a percentage of users`);
    const notExcluded = not(any(...toMemberConditions(segment.excluded, segment.excludedContexts)));
    const rules = (segment.rules ?? []).map(({ clauses }) => all(notExcluded, readAll(clauses, level + 1)));
    return asReference(key, any(...toMemberConditions(segment.included, segment.includedContexts), ...rules));
  };

  return clauses => readAll(clauses, 1);
}

type Contexts = { contextKind?: string; values: string[] }[];

const toMemberConditions = (keys: string[] = [], contexts: Contexts = []): AnyOf[] =>
  [{ values: keys }, ...contexts]
    .filter(({ values }) => values.length > 0)
    .map(({ values, contextKind }: Contexts[number]) => [
      [{ field: toContextField('key', contextKind), operator: 'IN' as const, values, negated: false }],
    ]);

function readClause({ attribute = 'key', contextKind, op, values, negate = false }: Clause): AnyOf {
  const field = toContextField(attribute, contextKind);
  const list = LIST_OPERATORS[op];
  if (list) return [[{ field, operator: list, values: values.map(String), negated: negate }]];
  const operator = ORDER_OPERATORS[op];
  if (!operator) throw new UnsupportedError(`the operator "${op}"`);
  // SDKs ignore the field of a date constraint and always compare with the current time.
  if (operator.startsWith('DATE_') && field !== 'currentTime')
    throw new UnsupportedError(`a date in the attribute "${attribute}"`);
  if (values.length === 0) return negate ? ALWAYS : [];
  // A clause is true if it is true for any of its values, so only the widest value matters.
  const operands = values.map(value => toOperand(operator, value));
  const alternatives = (WIDEST_OPERANDS[operator]?.(operands) ?? operands).map(operand => [
    { field, operator, values: [operand], negated: false },
  ]);
  return negate ? not(alternatives) : alternatives;
}

function toOperand(operator: Operator, value: string | number | boolean): string {
  if (!operator.startsWith('DATE_')) return String(value);
  // A number is a Unix time in milliseconds.
  const date = new Date(typeof value === 'boolean' ? Number.NaN : value);
  if (Number.isNaN(date.getTime())) throw new UnsupportedError(`the date "${value}"`);
  return date.toISOString();
}

/** Returns the context field for an attribute. For contexts other than users, the kind is added as a prefix. */
export function toContextField(attribute: string, kind = 'user'): string {
  if (attribute === 'kind') throw new UnsupportedError('a condition on the kind of the context');
  if (attribute.startsWith('/') && attribute.indexOf('/', 1) > 0)
    throw new UnsupportedError(`the nested attribute "${attribute}"`);
  const name = attribute.replace(/^\//, '');
  if (kind === 'user') return name === 'key' ? 'userId' : name;
  return name === 'key' ? `${kind}Key` : `${kind}.${name}`;
}
