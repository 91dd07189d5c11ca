import {
  type AllOf,
  type AnyOf,
  type Comparison,
  type Condition,
  isSegment,
  UnsupportedError,
} from './model.ts';

export const ALWAYS: AnyOf = [[]];

/** Alternatives multiply, so a few long rules could use up all memory. */
const MAX_ALTERNATIVES = 500;

/** True if all parts are true. */
export function all(...parts: AnyOf[]): AnyOf {
  let result = ALWAYS;
  for (const part of parts) {
    if (result.length * part.length > MAX_ALTERNATIVES ** 2) throw tooMany();
    result = simplify(result.flatMap(left => part.map(right => [...left, ...right])));
    if (result.length > MAX_ALTERNATIVES) throw tooMany();
  }
  return result;
}

const tooMany = () => new UnsupportedError('its rules have too many combinations');

/** True if one of the parts is true. */
export const any = (...parts: AnyOf[]): AnyOf => simplify(parts.flat());

/** Not (a and b) is not a, or not b. */
export const not = (when: AnyOf): AnyOf => all(...when.map(notAll));

const notAll = (conditions: AllOf): AnyOf => any(...conditions.flatMap(comparisonsOf).map(negate));

const negate = (comparison: Comparison): AnyOf => [[opposite(comparison)]];

const opposite = (comparison: Comparison): Comparison => ({ ...comparison, negated: !comparison.negated });

export const comparisonsOf = (condition: Condition): Comparison[] =>
  isSegment(condition) ? condition.comparisons : [condition];

/** A source segment with a single alternative becomes a segment. If it has several, its alternatives are used directly. */
export function asReference(segment: string, when: AnyOf): AnyOf {
  const [only] = when;
  if (when.length !== 1 || !only || only.length === 0 || only.some(isSegment)) return when;
  return [[{ segment, comparisons: only as Comparison[] }]];
}

const keyOf = (condition: Condition): string => JSON.stringify(condition);

/** Drops repeated conditions, alternatives that nobody can match, and alternatives that a shorter one covers. */
function simplify(when: AnyOf): AnyOf {
  const kept: { conditions: AllOf; keys: Set<string> }[] = [];
  const distinct = when
    .map(conditions => new Map(conditions.map(condition => [keyOf(condition), condition])))
    .filter(conditions => !isContradiction([...conditions.values()]))
    .map(conditions => ({ conditions: [...conditions.values()], keys: new Set(conditions.keys()) }));
  // Shorter ones first, otherwise in the original order, because strategies keep the order of the rules.
  const shortFirst = distinct.toSorted((a, b) => a.keys.size - b.keys.size);
  for (const one of shortFirst) if (!kept.some(other => isSubset(other.keys, one.keys))) kept.push(one);
  const remaining = new Set(kept);
  return distinct.filter(one => remaining.has(one)).map(({ conditions }) => conditions);
}

const isSubset = (part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  part.size <= whole.size && [...part].every(key => whole.has(key));

function isContradiction(conditions: AllOf): boolean {
  const keys = new Set(conditions.flatMap(comparisonsOf).map(keyOf));
  return conditions.flatMap(comparisonsOf).some(one => keys.has(keyOf(opposite(one))));
}
