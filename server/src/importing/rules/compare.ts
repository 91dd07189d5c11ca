import type { Context } from 'unleash-client/lib/context.js';
import { makeRandomInt } from '../evaluating/random.ts';
import { makeSdk } from '../evaluating/sdk.ts';
import { listPossibleVariations } from './evaluate.ts';
import { getComparisons } from './logic.ts';
import type { Comparison, Flag, Targeting } from './model.ts';
import { type Translation, toConstraint } from './translate.ts';

export type ComparisonResult = { contextCount: number; differingContextCount: number; example?: Context };

/**
 * Compares the rules, evaluated as in the source, with the translated strategies, evaluated with the SDK, for contexts on both sides
 * of each condition. If a rule splits users, any of its variations counts as a match.
 */
export function compareRules(
  flag: Flag,
  targeting: Targeting,
  translation: Translation,
  contextCount: number,
): ComparisonResult {
  const evaluate = createEvaluator(flag, targeting, translation);
  const result: ComparisonResult = { contextCount, differingContextCount: 0 };
  for (const context of sampleContexts(targeting, contextCount)) {
    const possibleNames = listPossibleVariations(flag, targeting, context).map(index =>
      getResultName(flag, index),
    );
    if (possibleNames.length === 0 || possibleNames.includes(evaluate(context))) continue;
    result.differingContextCount++;
    result.example ??= context;
  }
  return result;
}

const DISABLED = 'disabled';

/** Returns what an application gets: the name of the variant, or only whether the flag is enabled. */
function getResultName({ variations }: Flag, index: number): string {
  const variation = variations[index];
  if (!variation?.enabled) return DISABLED;
  return variation.payload === undefined ? 'enabled' : variation.name;
}

function createEvaluator(
  { key }: Flag,
  { on }: Targeting,
  { strategies, segments }: Translation,
): (context: Context) => string {
  const segmentConstraints = [...segments.values()].map(comparisons => comparisons.map(toConstraint));
  const evaluate = makeSdk({
    // SDKs enable a flag without strategies for everyone, so the import disables it.
    getToggle: () => ({ name: key, enabled: on && strategies.length > 0, strategies, variants: [] }),
    getSegment: (id: number) => ({ id, constraints: segmentConstraints[id - 1] ?? [] }),
  });
  return context => {
    const { isEnabled, variant } = evaluate(key, context);
    if (!isEnabled) return DISABLED;
    return variant.enabled ? variant.name : 'enabled';
  };
}

function sampleContexts({ rules }: Targeting, count: number): Context[] {
  const comparisons = rules.flatMap(({ when }) => when.flat()).flatMap(getComparisons);
  const fields = Map.groupBy(comparisons, ({ field }) => field);
  const pick = makeRandomInt(count);
  return Array.from({ length: count }, (_, index) => {
    const fieldValues = [...fields].flatMap(([field, fieldComparisons]) => {
      // Applications send almost every field, so fields are rarely omitted here.
      if (field !== 'userId' && pick(20) === 0) return [];
      const values = fieldComparisons.flatMap(listValuesAround);
      const value = pick(3) === 0 ? `other-${pick(50)}` : values[pick(values.length)];
      return value === undefined ? [] : [[field, value] as const];
    });
    const { userId = `user-${index}`, ...properties } = Object.fromEntries(fieldValues);
    return { userId, sessionId: `session-${index}`, properties };
  });
}

/** Returns values on both sides of a comparison. */
function listValuesAround({ operator, values }: Comparison): string[] {
  const [value = ''] = values;
  if (operator.startsWith('NUM_')) return [-1, 0, 1].map(step => String(Number(value) + step));
  if (operator.startsWith('DATE_'))
    return [-1, 0, 1].map(step => new Date(Date.parse(value) + step * 86_400_000).toISOString());
  if (operator.startsWith('SEMVER_')) return [value, '0.0.1', '999.0.0'];
  if (operator.startsWith('STR_')) return values.flatMap(text => [text, `x${text}`, `${text}x`]);
  return values;
}
