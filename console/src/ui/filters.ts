// The grammar of the filter bar. One filter is one parameter of the URL and of the API: `project=IS_ANY_OF:a,b`.
import type { Search } from './search.ts';

/** The operators of a parameter in the API; '' for a parameter that takes the plain value. */
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

export type FilterOption = { value: string; label?: string };

/** One filter of a list. */
export type FilterField = {
  /** The parameter of the URL and of the API: `createdBy`. */
  name: string;
  /** The word that a person types before the colon: `by`. */
  key: string;
  /** The first word of the chip: `By`. */
  label: string;
  operators: Operators;
  /** `day` accepts 7d, today or a date. `status` is typed as `production:enabled`. Default: `values`. */
  kind?: 'values' | 'day' | 'status';
  /** The values to suggest. A typed label becomes its value: `by:dora` becomes `createdBy=IS:4`. */
  options?: readonly FilterOption[];
  /** Finds values to suggest, for a filter with too many for `options`. */
  find?: (text: string, signal: AbortSignal) => Promise<readonly FilterOption[]>;
  /** Only the options are valid. */
  closed?: boolean;
  /** Values are names of flags, shown in the monospace font. */
  mono?: boolean;
};

export type Typed = { name: string; value: string } | { error: string };
/** A filter in words: label and verb, then the values. */
export type Chip = { lead: string; values: string[]; mono: boolean };

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Reads what a person typed: `project:payments,search`, `-type:experiment`, or plain text to search for. */
export function parseTyped(typed: string, fields: readonly FilterField[], today = new Date()): Typed {
  const text = typed.trim();
  const [, minus = '', key = '', rest = ''] = /^(-?)([\w.-]+):(.*)$/s.exec(text) ?? [];
  const status = fields.find(
    field => field.kind === 'status' && field.options?.some(one => same(one.value, key)),
  );
  if (status && key) return parseStatus(status, key, rest);
  const field = fields.find(one => one.kind !== 'status' && (same(one.key, key) || one.name === key));
  if (!field) return { name: 'query', value: text };
  if (field.kind === 'day') return parseDay(field, rest, today);

  const values = rest
    .split(',')
    .map(value => value.trim())
    .filter(Boolean);
  if (values.length === 0) return { error: `Enter a value after "${key}:".` };
  const known = values.map(value =>
    field.options?.find(one => same(one.label ?? '', value) || same(one.value, value)),
  );
  const unknown = values.filter((_, n) => field.closed && !known[n]);
  if (unknown.length > 0) return { error: `${field.label} "${unknown.join('", "')}" does not exist.` };
  const { one, many, not, notMany } = field.operators;
  const operator = minus ? (values.length > 1 ? notMany : not) : values.length > 1 ? (many ?? one) : one;
  if (operator === undefined) return { error: `"${key}" cannot be excluded. Remove the minus sign.` };
  const list = values.map((value, n) => known[n]?.value ?? value).join(',');
  return { name: field.name, value: operator ? `${operator}:${list}` : list };
}

function parseStatus(field: FilterField, environment: string, state: string): Typed {
  if (!same(state, 'enabled') && !same(state, 'disabled'))
    return { error: `Enter ${environment}:enabled or ${environment}:disabled.` };
  return { name: field.name, value: `${environment}:${state.toLowerCase()}` };
}

const DAY = 86_400_000;

/** 7d, 2w, today, yesterday or 2026-11-08, as a UTC day. */
function parseDay({ name, operators, key }: FilterField, text: string, today: Date): Typed {
  const [, count = '', unit = ''] = /^(\d{1,4})\s*([dw])$/i.exec(text.trim()) ?? [];
  const ago =
    { today: 0, yesterday: 1 }[text.trim().toLowerCase()] ?? Number(count) * (same(unit, 'w') ? 7 : 1);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) && !Number.isNaN(Date.parse(text.trim()));
  if (!isDate && !count && !/^(today|yesterday)$/i.test(text.trim()))
    return { error: `Enter a day after "${key}:", such as 7d, today or 2026-11-08.` };
  const day = isDate ? text.trim() : new Date(today.getTime() - ago * DAY).toISOString().slice(0, 10);
  return { name, value: operators.one ? `${operators.one}:${day}` : day };
}

/** Splits a value of the URL: `IS_ANY_OF:a,b`. */
function readValue(field: FilterField, value: string): { operator: string; values: string[] } {
  const { one, many, not, notMany } = field.operators;
  const operator = [one, many, not, notMany].find(name => name && value.startsWith(`${name}:`)) ?? '';
  const rest = operator ? value.slice(operator.length + 1) : value;
  return { operator, values: field.kind === 'day' ? [rest] : rest.split(',').map(part => part.trim()) };
}

const findField = (name: string, value: string, fields: readonly FilterField[]): FilterField | undefined =>
  // Two fields may share a parameter, such as createdAt with IS_ON_OR_AFTER and with IS_BEFORE.
  fields.find(
    field => field.name === name && (field.operators.one === '' || readValue(field, value).operator),
  ) ?? fields.find(field => field.name === name);

/** The words of a filter: "Project is any of" and "Payments, Search". */
export function chipOf(name: string, value: string, fields: readonly FilterField[]): Chip {
  const field = findField(name, value, fields);
  if (!field) return { lead: name === 'query' ? 'Contains' : name, values: [value], mono: false };
  if (field.kind === 'status') {
    const [environment = '', state = ''] = value.split(':');
    return { lead: state === 'enabled' ? 'Enabled in' : 'Disabled in', values: [environment], mono: false };
  }
  const { operator, values } = readValue(field, value);
  if (field.kind === 'day') return { lead: field.label, values, mono: false };
  const labels = values.map(one => field.options?.find(option => option.value === one)?.label ?? one);
  return {
    lead: `${field.label} ${verbOf(field, operator, values.length)}`,
    values: labels,
    mono: field.mono ?? false,
  };
}

function verbOf({ operators }: FilterField, operator: string, count: number): string {
  const negated = operator !== '' && (operator === operators.not || operator === operators.notMany);
  if (operators.one === 'INCLUDE') return `${negated ? 'has not' : 'has'}${count > 1 ? ' any of' : ''}`;
  if (count > 1) return negated ? 'is none of' : 'is any of';
  return negated ? 'is not' : 'is';
}

/** The text that parseTyped reads as this filter, to edit a chip. */
export function typedOf(name: string, value: string, fields: readonly FilterField[]): string {
  const field = findField(name, value, fields);
  if (!field || field.kind === 'status') return value;
  const { operator, values } = readValue(field, value);
  const minus =
    operator && (operator === field.operators.not || operator === field.operators.notMany) ? '-' : '';
  const labels = values.map(one => field.options?.find(option => option.value === one)?.label ?? one);
  return `${minus}${field.key}:${labels.join(',')}`;
}

/** The filters in the URL, in its order: those of the fields, and `query`. */
export function filtersOf(search: Search, fields: readonly FilterField[]): { name: string; value: string }[] {
  return Object.entries(search).flatMap(([name, value]) =>
    value !== undefined && (name === 'query' || fields.some(field => field.name === name))
      ? [value].flat().map(one => ({ name, value: one }))
      : [],
  );
}

/** The URL with one more filter. A filter of the same parameter is replaced, except those of environments. */
export function addFilter(
  search: Search,
  { name, value }: { name: string; value: string },
  fields: readonly FilterField[],
): Search {
  const isStatus = fields.some(field => field.name === name && field.kind === 'status');
  if (!isStatus) return { ...search, [name]: value };
  const before = [search[name] ?? []].flat().filter(one => one.split(':')[0] !== value.split(':')[0]);
  return { ...search, [name]: [...before, value] };
}

export function removeFilter(search: Search, { name, value }: { name: string; value: string }): Search {
  const remaining = [search[name] ?? []].flat().filter(one => one !== value);
  return { ...search, [name]: remaining.length > 1 ? remaining : remaining[0] };
}

export type Suggestion = { text: string; label: string; hint?: string; complete: boolean };
const MAX_SUGGESTIONS = 50;

/** The string to find values for: all of it, or the last value after the name of the filter. */
export const textToFind = (typed: string): string =>
  (/^[^:]*:(?:.*,)?(.*)$/s.exec(typed)?.[1] ?? typed).trim();

/** The typed string as one of the suggestions. A search has one query, so a second one replaces the first. */
export function textSuggestion(typed: string, former: Search[string]): Suggestion {
  const text = typed.trim();
  const hint = former === undefined || former === text ? 'text' : `text, instead of "${former}"`;
  return { text, label: `"${text}"`, hint, complete: true };
}

/**
 * The suggestion that Enter chooses: a value that was typed in full, the name of a filter, or the string itself. Values that only contain
 * the string do not count, because Enter would then depend on whether they have been found already.
 */
export function usualChoice(typed: string, suggestions: readonly Suggestion[]): number {
  const text = typed.trim();
  if (text === '' || text.includes(':')) return -1;
  const [first] = suggestions;
  if (first?.complete && first.text.endsWith(`:${text}`)) return 0;
  return suggestions.findIndex(one => !one.complete || one.text === text);
}

/** The completions of the typed string: names of filters and values that were found, or values of the named filter. */
export function suggest(typed: string, fields: readonly FilterField[]): Suggestion[] {
  const [, minus = '', key = '', rest = ''] = /^(-?)([\w.-]*):(.*)$/s.exec(typed) ?? [];
  if (!typed.includes(':'))
    return [...suggestFound(typed, fields), ...suggestFields(typed.replace(/^-/, ''), fields)];
  if (fields.some(field => field.kind === 'status' && field.options?.some(one => same(one.value, key))))
    return ['enabled', 'disabled']
      .filter(state => state.startsWith(rest.toLowerCase()))
      .map(state => ({ text: `${key}:${state}`, label: state, complete: true }));
  const field = fields.find(one => one.kind !== 'status' && same(one.key, key));
  if (field?.kind === 'day')
    return ['today', '7d', '30d', '90d'].map(day => ({ text: `${key}:${day}`, label: day, complete: true }));
  const parts = rest.split(',');
  const last = (parts.at(-1) ?? '').trim().toLowerCase();
  const chosen = parts.slice(0, -1).map(part => part.trim());
  return (field?.options ?? [])
    .filter(
      ({ value, label = value }) =>
        `${label} ${value}`.toLowerCase().includes(last) && !chosen.includes(label),
    )
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, label = value }) => ({
      text: `${minus}${key}:${[...chosen, label].join(',')}`,
      label,
      ...(label === value ? {} : { hint: value }),
      complete: true,
    }));
}

/** Values that contain the string, from the filters that find them. An exact match comes first. */
const suggestFound = (typed: string, fields: readonly FilterField[]): Suggestion[] =>
  fields
    .filter(({ find }) => find !== undefined && typed.trim() !== '')
    .flatMap(({ key, options = [] }) =>
      options.map(({ value }) => ({ text: `${key}:${value}`, label: `${key}:${value}`, complete: true })),
    )
    .toSorted(
      (one, other) =>
        Number(other.text.endsWith(`:${typed.trim()}`)) - Number(one.text.endsWith(`:${typed.trim()}`)),
    );

function suggestFields(typed: string, fields: readonly FilterField[]): Suggestion[] {
  const words = fields.flatMap(field =>
    field.kind === 'status'
      ? (field.options ?? []).map(({ value }) => ({ key: value, hint: 'enabled or disabled' }))
      : [{ key: field.key, hint: hintOf(field) }],
  );
  return words
    .filter(({ key }) => key.toLowerCase().startsWith(typed.toLowerCase()))
    .map(({ key, hint }) => ({
      text: `${key}:`,
      label: `${key}:`,
      ...(hint === undefined ? {} : { hint }),
      complete: false,
    }));
}

const HINTED_VALUES = 3;

/** Examples of values; for a filter without known values, its label if the key does not say the same. */
function hintOf({ key, label, kind, options = [] }: FilterField): string | undefined {
  if (kind === 'day') return 'today, 7d or 2026-11-15';
  if (options.length === 0) return same(key, label) ? undefined : label;
  const values = options.slice(0, HINTED_VALUES).map(({ value, label: name = value }) => name);
  return options.length > HINTED_VALUES ? `${values.join(', ')}…` : values.join(', ');
}
