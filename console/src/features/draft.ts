import type { StrategyType } from '../strategy-types/queries.ts';
import { findJsonProblem } from '../ui/json.ts';
import type { Constraint, ContextField, NewStrategy, Strategy } from './queries.ts';

/** The strategy that the user edits. */
export type Draft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Record<string, string>;
  segments: number[];
  constraints: Constraint[];
  variants: NonNullable<NewStrategy['variants']>;
};

export const toDraft = (
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

/** Creates the draft of a new strategy: a gradual rollout to everyone. */
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

/** Returns the initial parameters of a new strategy of this type. */
export function getInitialParameters(name: string, types: Types): Record<string, string> {
  const definitions = types.find(type => type.name === name)?.parameters ?? [];
  return Object.fromEntries(
    definitions.map(parameter => [
      parameter.name,
      parameter.type === 'percentage' ? '100' : parameter.type === 'boolean' ? 'false' : '',
    ]),
  );
}

/** Returns a message for each missing required parameter and each value of the wrong type. */
export function findParameterProblems(
  { name, parameters }: Pick<Draft, 'name' | 'parameters'>,
  types: Types,
): string[] {
  if (name === 'flexibleRollout') return [];
  const definitions = types.find(type => type.name === name)?.parameters ?? [];
  return definitions.flatMap(definition => {
    const value = parameters[definition.name]?.trim() ?? '';
    if (value === '') return definition.required ? [`Enter a value for ${definition.name}.`] : [];
    const number = Number(value);
    if (definition.type === 'number' && !Number.isFinite(number))
      return [`Enter a number for ${definition.name}.`];
    if (definition.type === 'percentage' && !(number >= 0 && number <= 100))
      return [`Enter a number from 0 to 100 for ${definition.name}.`];
    return [];
  });
}

/** Returns the key under which ui/drafts.ts stores the unsaved draft. */
export const getDraftKey = (featureName: string, environment: string, strategyId = 'new'): string =>
  `strategy:${featureName}:${environment}:${strategyId}`;

export const MAX_WEIGHT = 1000;

export const toBody = (draft: Draft): NewStrategy => ({ ...draft, title: draft.title || null });

/** Whether the rollout is a whole percentage. A missing rollout is valid, because it means 100. */
const isValidRollout = ({ name, parameters }: Pick<Draft, 'name' | 'parameters'>): boolean =>
  name !== 'flexibleRollout' || /^(100|\d{1,2})$/.test(parameters.rollout ?? '100');

/** Returns why the rollout is invalid, or undefined if it is valid. */
export const findRolloutProblem = (draft: Pick<Draft, 'name' | 'parameters'>): string | undefined =>
  isValidRollout(draft) ? undefined : 'The rollout must be a whole number from 0 to 100.';

/** Returns the values that the field does not allow. A number may be written in several ways, such as 1 and 1.0. */
export function findDisallowedValues(
  { operator, values = [] }: Pick<Constraint, 'operator' | 'values'>,
  field: Pick<ContextField, 'legalValues'> | undefined,
): string[] {
  const legalSpellings = new Set(field?.legalValues.flatMap(({ value }) => listEquivalentForms(value)));
  if (legalSpellings.size === 0 || !takesList(operator) || operator === 'IN_CIDR') return [];
  return values.filter(value => !listEquivalentForms(value).some(form => legalSpellings.has(form)));
}

/** Returns a message for each constraint with values that its field does not allow. */
export const findDisallowedProblems = (
  constraints: readonly Constraint[],
  fields: readonly Pick<ContextField, 'name' | 'legalValues'>[],
): string[] =>
  constraints
    .filter(constraint => {
      const field = fields.find(({ name }) => name === constraint.contextName);
      return findDisallowedValues(constraint, field).length > 0;
    })
    .map(({ contextName }) => `Remove the values that are not allowed for ${contextName}.`);

const listEquivalentForms = (value: string): string[] => {
  const text = value.trim();
  return text === '' || Number.isNaN(Number(text)) ? [text] : [text, String(Number(text))];
};

/** Returns the problems that prevent saving, in the order in which the editor shows the fields. */
export function findProblems(draft: Draft): string[] {
  const problems: string[] = [];
  for (const { contextName, values, value } of draft.constraints)
    if (!values?.length && !value) problems.push(`Enter a value for ${contextName || 'the constraint'}.`);
  const rolloutMessage = findRolloutProblem(draft);
  if (rolloutMessage) problems.push(rolloutMessage);
  const names = draft.variants.map(variant => variant.name);
  if (names.some(name => name === '')) problems.push('Every variant needs a name.');
  if (new Set(names).size < names.length) problems.push('Two variants have the same name.');
  for (const { name, payload } of draft.variants) {
    const problem = payload && findPayloadProblem(payload);
    if (problem) problems.push(`Payload of ${name ? `variant ${name}` : 'an unnamed variant'}: ${problem}`);
  }
  const fixedWeight = draft.variants
    .filter(({ weightType }) => weightType === 'fix')
    .reduce((sum, { weight }) => sum + weight, 0);
  const total = draft.variants.reduce((sum, { weight }) => sum + weight, 0);
  if (Number.isNaN(total)) problems.push('Every variant needs a weight.');
  else if (draft.variants.length > 0 && (fixedWeight > MAX_WEIGHT || total !== MAX_WEIGHT))
    problems.push(`The variant weights add up to ${total / 10} %. They must add up to 100 %.`);
  return problems;
}

/** Returns why a payload does not match its type, or undefined if it matches. */
export function findPayloadProblem({
  type,
  value,
}: NonNullable<Draft['variants'][number]['payload']>): string | undefined {
  if (type === 'json' && findJsonProblem(value) !== undefined) return 'Enter valid JSON.';
  if (type === 'number' && (value.trim() === '' || !Number.isFinite(Number(value)))) return 'Enter a number.';
  return undefined;
}

/**
 * Divides the weight that fixed variants leave equally among the variable ones, the first of which get the remainder. A weight
 * that the user has not entered yet is NaN.
 */
export function distributeWeights(variants: Draft['variants']): Draft['variants'] {
  const fixedWeight = variants
    .filter(({ weightType }) => weightType === 'fix')
    .reduce((sum, { weight }) => sum + (weight || 0), 0);
  const variableCount = variants.filter(({ weightType }) => weightType === 'variable').length;
  const remainingWeight = Math.max(0, MAX_WEIGHT - fixedWeight);
  let index = 0;
  return variants.map(variant => {
    if (variant.weightType === 'fix') return variant;
    const weight =
      Math.floor(remainingWeight / variableCount) + (index++ < remainingWeight % variableCount ? 1 : 0);
    return { ...variant, weight };
  });
}

type Operator = Constraint['operator'];
const TEXT_OPERATORS: readonly Operator[] = [
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'REGEX',
];
const NUMBER_OPERATORS: readonly Operator[] = ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'];
const DATE_OPERATORS: readonly Operator[] = ['DATE_AFTER', 'DATE_BEFORE'];
const VERSION_OPERATORS: readonly Operator[] = [
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_GTE',
  'SEMVER_LT',
  'SEMVER_LTE',
];
const LIST_OPERATORS: readonly Operator[] = [
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'IN_CIDR',
];

const OPERATORS_WITH_OPPOSITE: readonly Operator[] = [
  'IN',
  'NOT_IN',
  ...NUMBER_OPERATORS.filter(operator => operator !== 'NUM_EQ'),
  ...VERSION_OPERATORS.filter(operator => operator !== 'SEMVER_EQ'),
];

/** Whether there is an operator with the opposite meaning, such as < and ≥. */
export const hasOpposite = (operator: Operator): boolean => OPERATORS_WITH_OPPOSITE.includes(operator);

/** The operators by kind, in menu order. */
export const OPERATOR_GROUPS: readonly (readonly [string, readonly Operator[]])[] = [
  ['Text', TEXT_OPERATORS],
  ['Number', NUMBER_OPERATORS],
  ['Version', VERSION_OPERATORS],
  ['Date', DATE_OPERATORS],
  ['Network', ['IN_CIDR']],
];

/** Returns the operators that fit the field, depending on whether it has legal values, or contains a time or an IP address. */
export function listOperators(
  field: Pick<ContextField, 'name' | 'legalValues'> | undefined,
): readonly Operator[] {
  if (field && field.legalValues.length > 0) return ['IN', 'NOT_IN'];
  if (field?.name === 'currentTime') return DATE_OPERATORS;
  if (field?.name === 'remoteAddress') return ['IN', 'NOT_IN', 'IN_CIDR'];
  return OPERATOR_GROUPS.flatMap(([, operators]) => operators);
}

export const takesList = (operator: Operator): boolean => LIST_OPERATORS.includes(operator);
export const isDateOperator = (operator: Operator): boolean => DATE_OPERATORS.includes(operator);
export const isNumberOperator = (operator: Operator): boolean => NUMBER_OPERATORS.includes(operator);

/** Changes the operator of a constraint. The values are kept if the new operator accepts them. */
export function withOperator(constraint: Constraint, operator: Operator): Constraint {
  const { contextName, inverted, caseInsensitive, values = [], value = '' } = constraint;
  const base = {
    contextName,
    operator,
    ...(inverted ? { inverted } : {}),
    ...(caseInsensitive ? { caseInsensitive } : {}),
  };
  if (takesList(operator)) return { ...base, values: values.length > 0 ? values : value ? [value] : [] };
  return { ...base, value: value || (values[0] ?? '') };
}

/** Sorts context fields by the number of flags that use them, and by name. */
export const sortByUse = <Field extends Pick<ContextField, 'name' | 'usedInFeatures'>>(
  fields: readonly Field[],
): Field[] => fields.toSorted((a, b) => b.usedInFeatures - a.usedInFeatures || a.name.localeCompare(b.name));

/** Creates a constraint on the most used field, without values. */
export function newConstraint(
  fields: readonly Pick<ContextField, 'name' | 'legalValues' | 'usedInFeatures'>[],
): Constraint {
  const [field] = sortByUse(fields);
  const operator = listOperators(field)[0] ?? 'IN';
  return withOperator({ contextName: field?.name ?? 'userId', operator }, operator);
}

/** Changes the field of a constraint. A list of values is kept if the new field accepts it. Everything else is reset. */
export function withField(
  constraint: Constraint,
  field: Pick<ContextField, 'name' | 'legalValues'>,
): Constraint {
  const { operator, values = [] } = constraint;
  const operators = listOperators(field);
  const legalValues = field.legalValues.map(legalValue => legalValue.value);
  if (takesList(operator) && operators.includes(operator))
    return {
      ...constraint,
      contextName: field.name,
      values: legalValues.length > 0 ? values.filter(value => legalValues.includes(value)) : values,
    };
  const firstOperator = operators[0] ?? 'IN';
  return withOperator({ contextName: field.name, operator: firstOperator }, firstOperator);
}

/** Splits a pasted string into values at line breaks, tabs, commas and semicolons, and removes duplicates. */
export function splitValues(text: string, existingValues: readonly string[] = []): string[] {
  const values = text
    .split(/[\n\r\t,;]+/)
    .map(value => value.trim())
    .filter(value => value !== '');
  return [...new Set([...existingValues, ...values])];
}
