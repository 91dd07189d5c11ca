import {
  type AllOf,
  type AnyOf,
  type Comparison,
  type Condition,
  isSegment,
  UnsupportedError,
} from './model.ts';

export const ALWAYS: AnyOf = [[]];

/** Combining rules multiplies their alternatives, so a few long rules could use up all memory. */
const MAX_ALTERNATIVES = 500;

/** Returns a condition that is true if all parts are true. */
export function all(...parts: AnyOf[]): AnyOf {
  let result = ALWAYS;
  for (const part of parts) {
    if (result.length * part.length > MAX_ALTERNATIVES ** 2) throw tooManyCombinations();
    result = simplify(result.flatMap(left => part.map(right => [...left, ...right])));
    if (result.length > MAX_ALTERNATIVES) throw tooManyCombinations();
  }
  return result;
}

const tooManyCombinations = () => new UnsupportedError('its rules have too many combinations');

/** Returns a condition that is true if any of the parts is true. */
export const any = (...parts: AnyOf[]): AnyOf => simplify(parts.flat());

/** Negates a condition: "not (A and B)" becomes "not A, or not B". */
export const not = (when: AnyOf): AnyOf => all(...when.map(notAll));

const notAll = (conditions: AllOf): AnyOf => any(...conditions.flatMap(getComparisons).map(negate));

const negate = (comparison: Comparison): AnyOf => [[invertComparison(comparison)]];

const invertComparison = (comparison: Comparison): Comparison => ({
  ...comparison,
  negated: !comparison.negated,
});

export const getComparisons = (condition: Condition): Comparison[] =>
  isSegment(condition) ? condition.comparisons : [condition];

/**
 * Returns a reference to the segment if it has a single alternative. Otherwise returns its alternatives, because a Halyard segment
 * cannot contain several.
 */
export function asReference(segment: string, when: AnyOf): AnyOf {
  const [alternative] = when;
  if (when.length !== 1 || !alternative || alternative.length === 0 || alternative.some(isSegment))
    return when;
  return [[{ segment, comparisons: alternative as Comparison[] }]];
}

const toKey = (condition: Condition): string => JSON.stringify(condition);

/** Drops repeated conditions, alternatives that nobody can match, and alternatives that a shorter one covers. */
function simplify(when: AnyOf): AnyOf {
  const keptAlternatives: { conditions: AllOf; keys: Set<string> }[] = [];
  const distinctAlternatives = when
    .map(conditions => new Map(conditions.map(condition => [toKey(condition), condition])))
    .filter(conditions => !isContradiction([...conditions.values()]))
    .map(conditions => ({ conditions: [...conditions.values()], keys: new Set(conditions.keys()) }));
  // Puts shorter alternatives first and otherwise keeps the original order, because strategies keep the order of the rules.
  const shortAlternativesFirst = distinctAlternatives.toSorted((a, b) => a.keys.size - b.keys.size);
  for (const alternative of shortAlternativesFirst)
    if (!keptAlternatives.some(other => isSubset(other.keys, alternative.keys)))
      keptAlternatives.push(alternative);
  const remainingAlternatives = new Set(keptAlternatives);
  return distinctAlternatives
    .filter(alternative => remainingAlternatives.has(alternative))
    .map(({ conditions }) => conditions);
}

const isSubset = (subset: ReadonlySet<string>, superset: ReadonlySet<string>): boolean =>
  subset.size <= superset.size && [...subset].every(key => superset.has(key));

function isContradiction(conditions: AllOf): boolean {
  const keys = new Set(conditions.flatMap(getComparisons).map(toKey));
  return conditions.flatMap(getComparisons).some(comparison => keys.has(toKey(invertComparison(comparison))));
}
