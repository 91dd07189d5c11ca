import type { StrategyType } from '../strategy-types/queries.ts';
import { jsonProblem } from '../ui/json.ts';
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

export const draftOf = (
  strategy: Pick<
    Strategy,
    'name' | 'title' | 'disabled' | 'parameters' | 'segments' | 'constraints' | 'variants'
  >,
): Draft => ({
  name: strategy.name,
  title: strategy.title ?? '',
  disabled: strategy.disabled,
  parameters: strategy.parameters,
  segments: strategy.segments,
  constraints: strategy.constraints,
  variants: strategy.variants,
});

/** A new strategy: everyone, by gradual rollout. */
export const newDraft = (featureName: string, stickiness = 'default'): Draft => ({
  name: 'flexibleRollout',
  title: '',
  disabled: false,
  parameters: { rollout: '100', stickiness, groupId: featureName },
  segments: [],
  constraints: [],
  variants: [],
});

type Types = readonly Pick<StrategyType, 'name' | 'parameters'>[];

/** The parameters that a new strategy of a type starts with. */
export function parametersOf(name: string, types: Types): Record<string, string> {
  const defined = types.find(type => type.name === name)?.parameters ?? [];
  return Object.fromEntries(
    defined.map(one => [one.name, one.type === 'percentage' ? '100' : one.type === 'boolean' ? 'false' : '']),
  );
}

/** The parameters that lack a value, or have one that their type does not allow. */
export function parameterProblems(
  { name, parameters }: Pick<Draft, 'name' | 'parameters'>,
  types: Types,
): string[] {
  if (name === 'flexibleRollout') return [];
  const defined = types.find(type => type.name === name)?.parameters ?? [];
  return defined.flatMap(one => {
    const value = parameters[one.name]?.trim() ?? '';
    if (value === '') return one.required ? [`Enter a value for ${one.name}.`] : [];
    const number = Number(value);
    if (one.type === 'number' && !Number.isFinite(number)) return [`Enter a number for ${one.name}.`];
    if (one.type === 'percentage' && !(number >= 0 && number <= 100))
      return [`Enter a number from 0 to 100 for ${one.name}.`];
    return [];
  });
}

/** The name of unsaved input in the storage of the tab. */
export const thingOf = (featureName: string, environment: string, strategyId = 'new'): string =>
  `strategy:${featureName}:${environment}:${strategyId}`;

export const MAX_WEIGHT = 1000;

/** The body of the request. */
export const bodyOf = (draft: Draft): NewStrategy => ({ ...draft, title: draft.title || null });

/** Gradual rollout takes whole percentages. Without a parameter the rollout is 100. */
const isValidRollout = ({ name, parameters }: Pick<Draft, 'name' | 'parameters'>): boolean =>
  name !== 'flexibleRollout' || /^(100|\d{1,2})$/.test(parameters.rollout ?? '100');

/** Why the rollout is invalid; undefined if it is valid. */
export const rolloutProblem = (draft: Pick<Draft, 'name' | 'parameters'>): string | undefined =>
  isValidRollout(draft) ? undefined : 'The rollout must be a whole number from 0 to 100.';

/** The values of a list that its field does not allow. A number may be written in several ways, such as 1 and 1.0. */
export function notAllowed(
  { operator, values = [] }: Pick<Constraint, 'operator' | 'values'>,
  field: Pick<ContextField, 'legalValues'> | undefined,
): string[] {
  const legal = new Set(field?.legalValues.flatMap(({ value }) => formsOf(value)));
  if (legal.size === 0 || !takesList(operator) || operator === 'IN_CIDR') return [];
  return values.filter(value => !formsOf(value).some(form => legal.has(form)));
}

const formsOf = (value: string): string[] => {
  const text = value.trim();
  return text === '' || Number.isNaN(Number(text)) ? [text] : [text, String(Number(text))];
};

/** The problems that prevent saving, in the order of the editor. */
export function problemsOf(draft: Draft): string[] {
  const problems: string[] = [];
  for (const { contextName, values, value } of draft.constraints)
    if (!values?.length && !value) problems.push(`Enter a value for ${contextName || 'the constraint'}.`);
  const rollout = rolloutProblem(draft);
  if (rollout) problems.push(rollout);
  const names = draft.variants.map(variant => variant.name);
  if (names.some(name => name === '')) problems.push('Every variant needs a name.');
  if (new Set(names).size < names.length) problems.push('Two variants have the same name.');
  for (const { name, payload } of draft.variants) {
    const problem = payload && payloadProblem(payload);
    if (problem) problems.push(`Payload of variant ${name || 'without a name'}: ${problem}`);
  }
  const fixed = draft.variants
    .filter(one => one.weightType === 'fix')
    .reduce((sum, one) => sum + one.weight, 0);
  const total = draft.variants.reduce((sum, one) => sum + one.weight, 0);
  if (Number.isNaN(total)) problems.push('Every variant needs a share.');
  else if (draft.variants.length > 0 && (fixed > MAX_WEIGHT || total !== MAX_WEIGHT))
    problems.push(`The weights of the variants add up to ${total / 10} %. They must add up to 100 %.`);
  return problems;
}

/** Why a payload does not have its type; undefined if it does. */
export function payloadProblem({
  type,
  value,
}: NonNullable<Draft['variants'][number]['payload']>): string | undefined {
  if (type === 'json' && jsonProblem(value) !== undefined) return 'Enter valid JSON.';
  if (type === 'number' && (value.trim() === '' || !Number.isFinite(Number(value)))) return 'Enter a number.';
  return undefined;
}

/**
 * Gives the variable variants equal shares of what the fixed ones leave. The first ones get what remains. A share that is
 * not entered yet is NaN.
 */
export function spread(variants: Draft['variants']): Draft['variants'] {
  const fixed = variants
    .filter(one => one.weightType === 'fix')
    .reduce((sum, one) => sum + (one.weight || 0), 0);
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

const OPPOSED: readonly Operator[] = [
  'IN',
  'NOT_IN',
  ...NUMBER.filter(one => one !== 'NUM_EQ'),
  ...VERSION.filter(one => one !== 'SEMVER_EQ'),
];

/** Whether a different operator says the opposite, as < says the opposite of ≥. */
export const hasOpposite = (operator: Operator): boolean => OPPOSED.includes(operator);

/** The kinds of operators, in the order of the list. */
export const OPERATOR_GROUPS: readonly (readonly [string, readonly Operator[]])[] = [
  ['Text', TEXT],
  ['Number', NUMBER],
  ['Version', VERSION],
  ['Date', DATE],
  ['Network', ['IN_CIDR']],
];

/** Operators that fit the field: those of a fixed list of values, of a time, of an IP address, or all. */
export function operatorsFor(
  field: Pick<ContextField, 'name' | 'legalValues'> | undefined,
): readonly Operator[] {
  if (field && field.legalValues.length > 0) return ['IN', 'NOT_IN'];
  if (field?.name === 'currentTime') return DATE;
  if (field?.name === 'remoteAddress') return ['IN', 'NOT_IN', 'IN_CIDR'];
  return OPERATOR_GROUPS.flatMap(([, operators]) => operators);
}

export const takesList = (operator: Operator): boolean => LISTS.includes(operator);
export const isDate = (operator: Operator): boolean => DATE.includes(operator);
export const isNumber = (operator: Operator): boolean => NUMBER.includes(operator);

/** The constraint with a different operator. Values survive if the new operator takes them. */
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

/** A constraint without values, on the first field. */
export function newConstraint(fields: readonly Pick<ContextField, 'name' | 'legalValues'>[]): Constraint {
  const [field] = fields;
  const operator = operatorsFor(field)[0] ?? 'IN';
  return withOperator({ contextName: field?.name ?? 'userId', operator }, operator);
}

/** The constraint on a different field. Its list of values survives if the field takes it; everything else is reset. */
export function withField(
  constraint: Constraint,
  field: Pick<ContextField, 'name' | 'legalValues'>,
): Constraint {
  const { operator, values = [] } = constraint;
  const fits = operatorsFor(field);
  const legal = field.legalValues.map(one => one.value);
  if (takesList(operator) && fits.includes(operator))
    return {
      ...constraint,
      contextName: field.name,
      values: legal.length > 0 ? values.filter(value => legal.includes(value)) : values,
    };
  const first = fits[0] ?? 'IN';
  return withOperator({ contextName: field.name, operator: first }, first);
}

/** Pasted strings become values, separated by line breaks, tabs, commas or semicolons, without duplicates. */
export function splitValues(text: string, before: readonly string[] = []): string[] {
  const values = text
    .split(/[\n\r\t,;]+/)
    .map(value => value.trim())
    .filter(value => value !== '');
  return [...new Set([...before, ...values])];
}
