import type { Constraint, ContextField, NewStrategy, Strategy } from './queries.ts';

/** A strategy in the editor. */
export type Draft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Record<string, string>;
  segments: number[];
  constraints: Constraint[];
  variants: NonNullable<NewStrategy['variants']>;
};

export const draftOf = (strategy: Strategy): Draft => ({
  name: strategy.name,
  title: strategy.title ?? '',
  disabled: strategy.disabled,
  parameters: strategy.parameters,
  segments: strategy.segments,
  constraints: strategy.constraints,
  variants: strategy.variants,
});

/** A new strategy: everyone, by gradual rollout. */
export const newDraft = (featureName: string): Draft => ({
  name: 'flexibleRollout',
  title: '',
  disabled: false,
  parameters: { rollout: '100', stickiness: 'default', groupId: featureName },
  segments: [],
  constraints: [],
  variants: [],
});

export const MAX_WEIGHT = 1000;

/** The body of the request. */
export const bodyOf = (draft: Draft): NewStrategy => ({ ...draft, title: draft.title || null });

/** The problems that prevent saving, in the order of the editor. */
export function problemsOf(draft: Draft): string[] {
  const problems: string[] = [];
  for (const { contextName, values, value } of draft.constraints)
    if (!values?.length && !value) problems.push(`Enter a value for ${contextName || 'the constraint'}.`);
  const names = draft.variants.map(variant => variant.name);
  if (names.some(name => name === '')) problems.push('Every variant needs a name.');
  if (new Set(names).size < names.length) problems.push('Two variants have the same name.');
  const fixed = draft.variants
    .filter(one => one.weightType === 'fix')
    .reduce((sum, one) => sum + one.weight, 0);
  const total = draft.variants.reduce((sum, one) => sum + one.weight, 0);
  if (draft.variants.length > 0 && (fixed > MAX_WEIGHT || total !== MAX_WEIGHT))
    problems.push(`The weights of the variants add up to ${total / 10} %. They must add up to 100 %.`);
  return problems;
}

/** Gives the variable variants equal shares of what the fixed ones leave. The first ones get what remains. */
export function spread(variants: Draft['variants']): Draft['variants'] {
  const fixed = variants.filter(one => one.weightType === 'fix').reduce((sum, one) => sum + one.weight, 0);
  const count = variants.filter(one => one.weightType === 'variable').length;
  const left = Math.max(0, MAX_WEIGHT - fixed);
  let given = 0;
  return variants.map(variant => {
    if (variant.weightType === 'fix') return variant;
    const weight = Math.floor(left / count) + (given++ < left % count ? 1 : 0);
    return { ...variant, weight };
  });
}

type Operator = Constraint['operator'];
const TEXT: readonly Operator[] = [
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'REGEX',
];
const NUMBER: readonly Operator[] = ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'];
const DATE: readonly Operator[] = ['DATE_AFTER', 'DATE_BEFORE'];
const VERSION: readonly Operator[] = ['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'];
const LISTS: readonly Operator[] = [
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'IN_CIDR',
];

/** Operators that fit the field: those of a fixed list of values, of a time, of an address, or all. */
export function operatorsFor(
  field: Pick<ContextField, 'name' | 'legalValues'> | undefined,
): readonly Operator[] {
  if (field && field.legalValues.length > 0) return ['IN', 'NOT_IN'];
  if (field?.name === 'currentTime') return DATE;
  if (field?.name === 'remoteAddress') return ['IN', 'NOT_IN', 'IN_CIDR'];
  return [...TEXT, ...NUMBER, ...VERSION, ...DATE, 'IN_CIDR'];
}

export const takesList = (operator: Operator): boolean => LISTS.includes(operator);
export const isDate = (operator: Operator): boolean => DATE.includes(operator);
export const isNumber = (operator: Operator): boolean => NUMBER.includes(operator);

/** The constraint with another operator. Values survive if the new operator takes them. */
export function withOperator(constraint: Constraint, operator: Operator): Constraint {
  const { contextName, inverted, caseInsensitive, values = [], value = '' } = constraint;
  const kept = {
    contextName,
    operator,
    ...(inverted ? { inverted } : {}),
    ...(caseInsensitive ? { caseInsensitive } : {}),
  };
  if (takesList(operator)) return { ...kept, values: values.length > 0 ? values : value ? [value] : [] };
  return { ...kept, value: value || (values[0] ?? '') };
}

/** Pasted text becomes values: separated by line breaks, tabs, commas or semicolons; without repetitions. */
export function splitValues(text: string, before: readonly string[] = []): string[] {
  const values = text
    .split(/[\n\r\t,;]+/)
    .map(value => value.trim())
    .filter(value => value !== '');
  return [...new Set([...before, ...values])];
}
