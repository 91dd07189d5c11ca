// The grammar of the filter bar. A filter is a URL parameter and an API parameter, such as `project=IS_ANY_OF:a,b`.
import type { Search } from './search.ts';

/** The operators of an API parameter. A parameter that takes a plain value has an empty operator. */
type Operators = { one: string; many?: string; not?: string; notMany?: string };

export const IS: Operators = { one: 'IS', many: 'IS_ANY_OF' };
export const IS_OR_NOT: Operators = { ...IS, not: 'IS_NOT', notMany: 'IS_NONE_OF' };
export const INCLUDES: Operators = {
  one: 'INCLUDE',
  many: 'INCLUDE_ANY_OF',
  not: 'DO_NOT_INCLUDE',
  notMany: 'EXCLUDE_IF_ANY_OF',
};
export const PLAIN: Operators = { one: '', many: '' };

export type FilterOption = {
  value: string;
  label?: string;
  /** The chips of this value alone and of its exclusion, if the label and a verb would not form a phrase. */
  chips?: { is: Pick<Chip, 'lead' | 'values'>; isNot: Pick<Chip, 'lead' | 'values'> };
};

/** One filter of a list. */
export type FilterField = {
  /** The URL and API parameter, such as `createdBy`. */
  name: string;
  /** The word that a person types before the colon, such as `by`. */
  key: string;
  /** The first word of the chip, such as `By`. */
  label: string;
  operators: Operators;
  /** `day` accepts 7d, today or a date. `status` is typed as `production:enabled`. Default: `values`. */
  kind?: 'values' | 'day' | 'status';
  /** The values to suggest. A typed label becomes its value, so `by:dora` becomes `createdBy=IS:4`. */
  options?: readonly FilterOption[];
  /** Finds values to suggest after the colon, for a filter that has too many to list in `options`. */
  find?: (text: string, signal: AbortSignal) => Promise<readonly FilterOption[]>;
  /** Whether `find` also runs for text without a filter name. */
  findsByText?: boolean;
  /** Whether only the options are valid. */
  closed?: boolean;
  /** Whether the values are names of flags, which are shown in the monospace font. */
  mono?: boolean;
};

export type TypedFilter = { name: string; value: string } | { error: string };
/** A filter as its chip shows it: `lead` is the label with a verb, which the values follow. */
export type Chip = { lead: string; values: string[]; mono: boolean };

export const isSameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Reads what a person typed: `project:payments,search`, `-type:experiment`, or plain text to search for. */
export function parseFilter(
  typedText: string,
  fields: readonly FilterField[],
  today = new Date(),
): TypedFilter {
  const text = typedText.trim();
  const [, minus = '', key = '', rest = ''] = /^(-?)([\w.-]+):(.*)$/s.exec(text) ?? [];
  const status = fields.find(
    field => field.kind === 'status' && field.options?.some(option => isSameText(option.value, key)),
  );
  if (status && key) return parseStatus(status, key, rest);
  const field = fields.find(
    candidate => candidate.kind !== 'status' && (isSameText(candidate.key, key) || candidate.name === key),
  );
  if (!field) return { name: 'query', value: text };
  if (field.kind === 'day') return parseDay(field, rest, today);

  const values = rest
    .split(',')
    .map(value => value.trim())
    .filter(Boolean);
  if (values.length === 0) return { error: `Enter a value after "${key}:".` };
  const knownOptions = values.map(value =>
    field.options?.find(option => isSameText(option.label ?? '', value) || isSameText(option.value, value)),
  );
  const unknownValues = values.filter((_, n) => field.closed && !knownOptions[n]);
  if (unknownValues.length > 0) return { error: `Unknown "${key}" value: "${unknownValues.join('", "')}".` };
  const { one, many, not, notMany } = field.operators;
  const operator = minus ? (values.length > 1 ? notMany : not) : values.length > 1 ? (many ?? one) : one;
  if (operator === undefined) return { error: `"${key}" cannot be excluded. Remove the minus sign.` };
  const list = values.map((value, n) => knownOptions[n]?.value ?? value).join(',');
  return { name: field.name, value: operator ? `${operator}:${list}` : list };
}

function parseStatus(field: FilterField, environment: string, state: string): TypedFilter {
  if (!isSameText(state, 'enabled') && !isSameText(state, 'disabled'))
    return { error: `Enter ${environment}:enabled or ${environment}:disabled.` };
  return { name: field.name, value: `${environment}:${state.toLowerCase()}` };
}

const DAY_MS = 86_400_000;

/** Parses 7d, 2w, today, yesterday or 2026-11-08 as a UTC day. */
function parseDay({ name, operators, key }: FilterField, text: string, today: Date): TypedFilter {
  const [, count = '', unit = ''] = /^(\d{1,4})\s*([dw])$/i.exec(text.trim()) ?? [];
  const daysAgo =
    { today: 0, yesterday: 1 }[text.trim().toLowerCase()] ?? Number(count) * (isSameText(unit, 'w') ? 7 : 1);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) && !Number.isNaN(Date.parse(text.trim()));
  if (!isDate && !count && !/^(today|yesterday)$/i.test(text.trim()))
    return { error: `Enter a day after "${key}:", such as 7d, today or 2026-11-08.` };
  const day = isDate ? text.trim() : new Date(today.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  return { name, value: operators.one ? `${operators.one}:${day}` : day };
}

/** Splits a URL value, such as `IS_ANY_OF:a,b`, into its operator and values. */
function readValue(field: FilterField, value: string): { operator: string; values: string[] } {
  const { one, many, not, notMany } = field.operators;
  const operator = [one, many, not, notMany].find(name => name && value.startsWith(`${name}:`)) ?? '';
  const valueText = operator ? value.slice(operator.length + 1) : value;
  return {
    operator,
    values: field.kind === 'day' ? [valueText] : valueText.split(',').map(part => part.trim()),
  };
}

const findField = (name: string, value: string, fields: readonly FilterField[]): FilterField | undefined =>
  // Two fields may share a parameter, such as createdAt with IS_ON_OR_AFTER and with IS_BEFORE.
  fields.find(
    field => field.name === name && (field.operators.one === '' || readValue(field, value).operator),
  ) ?? fields.find(field => field.name === name);

/** Describes a filter, for example as "Project is any of" and "Payments, Search". */
export function toChip(name: string, value: string, fields: readonly FilterField[]): Chip {
  const field = findField(name, value, fields);
  if (!field) return { lead: name === 'query' ? 'Contains' : name, values: [value], mono: false };
  if (field.kind === 'status') {
    const [environment = '', state = ''] = value.split(':');
    return { lead: state === 'enabled' ? 'Enabled in' : 'Disabled in', values: [environment], mono: false };
  }
  const { operator, values } = readValue(field, value);
  if (field.kind === 'day') return { lead: field.label, values, mono: false };
  const chips = field.options?.find(option => option.value === values.join())?.chips;
  if (chips) return { ...(operator === field.operators.not ? chips.isNot : chips.is), mono: false };
  const labels = values.map(
    chosenValue => field.options?.find(option => option.value === chosenValue)?.label ?? chosenValue,
  );
  return {
    lead: `${field.label} ${describeOperator(field, operator, values.length)}`,
    values: labels,
    mono: field.mono ?? false,
  };
}

function describeOperator({ operators }: FilterField, operator: string, count: number): string {
  const isNegated = operator !== '' && (operator === operators.not || operator === operators.notMany);
  const isInclusion = operators.one === 'INCLUDE';
  if (count > 1) return `${isInclusion ? 'has' : 'is'} ${isNegated ? 'none' : 'any'} of`;
  if (isInclusion) return isNegated ? 'lacks' : 'has';
  return isNegated ? 'is not' : 'is';
}

/** Formats a filter as text that parseFilter reads, so that a chip can be edited. */
export function formatFilter(name: string, value: string, fields: readonly FilterField[]): string {
  const field = findField(name, value, fields);
  if (!field || field.kind === 'status') return value;
  const { operator, values } = readValue(field, value);
  const minus =
    operator && (operator === field.operators.not || operator === field.operators.notMany) ? '-' : '';
  const labels = values.map(
    chosenValue => field.options?.find(option => option.value === chosenValue)?.label ?? chosenValue,
  );
  // A label with a comma would be read as two values.
  const texts = labels.map((label, n) => (label.includes(',') ? values[n] : label));
  return `${minus}${field.key}:${texts.join(',')}`;
}

/** Returns the filters in the URL, in order. Only the fields and `query` are filters. */
export function listFilters(
  search: Search,
  fields: readonly FilterField[],
): { name: string; value: string }[] {
  return Object.entries(search).flatMap(([name, value]) =>
    value !== undefined && (name === 'query' || fields.some(field => field.name === name))
      ? [value].flat().map(filterValue => ({ name, value: filterValue }))
      : [],
  );
}

/** Adds a filter to the URL. The new filter replaces any filter for the same parameter, unless they name different environments. */
export function addFilter(
  search: Search,
  { name, value }: { name: string; value: string },
  fields: readonly FilterField[],
): Search {
  const isStatus = fields.some(field => field.name === name && field.kind === 'status');
  if (!isStatus) return { ...search, [name]: value };
  const otherValues = [search[name] ?? []]
    .flat()
    .filter(other => other.split(':')[0] !== value.split(':')[0]);
  return { ...search, [name]: [...otherValues, value] };
}

export function removeFilter(search: Search, { name, value }: { name: string; value: string }): Search {
  const remaining = [search[name] ?? []].flat().filter(other => other !== value);
  return { ...search, [name]: remaining.length > 1 ? remaining : remaining[0] };
}
