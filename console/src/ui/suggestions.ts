// The filter bar's suggestions, in a separate module because only the filter bar needs them.
import { type FilterField, isSameText } from './filters.ts';
import type { Search } from './search.ts';

export type Suggestion = {
  text: string;
  label: string;
  hint?: string | undefined;
  /** Whether the text is a complete filter rather than just the name of one. */
  complete: boolean;
  /** Whether the value was typed in full, so that Enter chooses it. */
  exact?: boolean;
};

const createSuggestion = (text: string, label = text, hint?: string): Suggestion => ({
  text,
  label,
  hint,
  complete: true,
});

const MAX_SUGGESTIONS = 50;
const STATES = ['enabled', 'disabled'];

/** Returns the string to search values for: the last value after a filter name, or the whole string. */
export const parseSearchText = (typedText: string): string =>
  (/^[^:]*:(?:.*,)?(.*)$/s.exec(typedText)?.[1] ?? typedText).trim();

/** Returns the filter whose values are searched: the named filter, or the one that finds values by text alone. */
export function findSearchedField(
  typedText: string,
  fields: readonly FilterField[],
): FilterField | undefined {
  const key = /^-?([\w.-]+):/.exec(typedText)?.[1];
  return fields.find(
    field => field.find && (key === undefined ? field.findsByText : isSameText(field.key, key)),
  );
}

/** Suggests the typed string itself. A search has only one query string, so a second string replaces the first. */
export function createTextSuggestion(typedText: string, currentQuery: Search[string]): Suggestion {
  const text = typedText.trim();
  const hint =
    currentQuery === undefined || currentQuery === text ? 'text' : `text, replaces "${currentQuery}"`;
  return createSuggestion(text, `"${text}"`, hint);
}

/**
 * Returns the index of the suggestion that Enter chooses: a value that was typed in full, the first value after a colon, a
 * filter name, or the string itself. Values that only contain the string do not count, because the choice would then depend on
 * how quickly the values load.
 */
export function findDefaultChoice(typedText: string, suggestions: readonly Suggestion[]): number {
  const text = typedText.trim();
  if (text === '') return -1;
  if (text.includes(':')) return text.endsWith(':') && suggestions.length > 0 ? 0 : -1;
  if (suggestions[0]?.exact) return 0;
  return suggestions.findIndex(suggestion => !suggestion.complete || suggestion.text === text);
}

/** Completes the typed string with filter names and found values, or with values of the named filter. */
export function suggest(typedText: string, fields: readonly FilterField[]): Suggestion[] {
  const [, minus = '', key = '', rest = ''] = /^(-?)([\w.-]*):(.*)$/s.exec(typedText) ?? [];
  if (!typedText.includes(':'))
    return [
      ...suggestWords(typedText, fields),
      ...suggestFoundValues(typedText, fields),
      ...suggestFields(typedText.replace(/^-/, ''), fields),
    ];
  if (
    fields.some(
      field => field.kind === 'status' && field.options?.some(option => isSameText(option.value, key)),
    )
  )
    return STATES.filter(state => state.startsWith(rest.toLowerCase())).map(state =>
      createSuggestion(`${key}:${state}`, state),
    );
  const field = fields.find(candidate => candidate.kind !== 'status' && isSameText(candidate.key, key));
  if (field?.kind === 'day')
    return ['today', '7d', '30d', '90d'].map(day => createSuggestion(`${key}:${day}`, day));
  const parts = rest.split(',');
  const typedValue = (parts.at(-1) ?? '').trim().toLowerCase();
  const chosenLabels = parts.slice(0, -1).map(part => part.trim());
  return (field?.options ?? [])
    .filter(
      ({ value, label = value }) =>
        `${label} ${value}`.toLowerCase().includes(typedValue) &&
        !chosenLabels.includes(label) &&
        !chosenLabels.includes(value),
    )
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, label = value }) => {
      // Labels of found values can contain the separator.
      const texts = [...chosenLabels, field?.find ? value : label];
      return createSuggestion(
        `${minus}${key}:${texts.join(',')}`,
        label,
        label === value ? undefined : value,
      );
    });
}

/** Whether the console defines all values of the filter. */
const hasFixedValues = ({ closed, find }: FilterField): boolean => closed === true && !find;

/**
 * Suggests filters for a word that means a filter rather than text. Only words that the console defines count, because a project
 * or a tag can have the same name as a flag. For example, "stale" suggests `state:stale`, "archived" suggests `archived:yes`, and
 * "disabled" suggests `production:disabled`.
 */
function suggestWords(typedText: string, fields: readonly FilterField[]): Suggestion[] {
  const word = typedText.trim();
  const texts = fields.flatMap(field => {
    const { key, kind, options = [] } = field;
    if (kind === 'status')
      return STATES.filter(state => isSameText(state, word)).flatMap(state =>
        options.map(({ value }) => `${value}:${state}`),
      );
    const labels = hasFixedValues(field) ? options.map(({ value, label = value }) => label) : [];
    // The name of a filter that has only one value stands for that value.
    return labels
      .filter(label => isSameText(labels.length === 1 ? key : label, word))
      .map(label => `${key}:${label}`);
  });
  return texts
    .slice(0, MAX_VALUE_SUGGESTIONS)
    .map(text => ({ ...createSuggestion(text, text, 'filter'), exact: true }));
}

/** Suggests values that contain the string, from the filters that can find values. An exact match comes first. */
const suggestFoundValues = (typedText: string, fields: readonly FilterField[]): Suggestion[] =>
  fields
    .filter(({ findsByText }) => findsByText && typedText.trim() !== '')
    .flatMap(({ key, options = [] }) =>
      options.map(({ value }) => ({
        ...createSuggestion(`${key}:${value}`),
        exact: value === typedText.trim(),
      })),
    )
    .toSorted((a, b) => Number(b.exact) - Number(a.exact));

const MIN_VALUE_LENGTH = 2;
const MAX_VALUE_SUGGESTIONS = 6;

/**
 * Suggests values that begin with the typed string, from filters with known values. For example, "stal" suggests `state:stale`. Omits
 * fixed values that were typed in full, because `suggest` already suggests those.
 */
export const suggestValues = (typedText: string, fields: readonly FilterField[]): Suggestion[] => {
  const text = typedText.trim().toLowerCase();
  if (text.length < MIN_VALUE_LENGTH) return [];
  return fields
    .filter(({ findsByText, kind = 'values' }) => !findsByText && kind === 'values')
    .flatMap(field =>
      (field.options ?? [])
        .map(({ value, label = value }) => label)
        .filter(
          label =>
            label.toLowerCase().startsWith(text) && !(hasFixedValues(field) && isSameText(label, text)),
        )
        .map(label => createSuggestion(`${field.key}:${label}`)),
    )
    .slice(0, MAX_VALUE_SUGGESTIONS);
};

function suggestFields(typedText: string, fields: readonly FilterField[]): Suggestion[] {
  const completions = fields.flatMap(field =>
    field.kind === 'status'
      ? (field.options ?? []).map(({ value }) => ({ key: value, hint: 'enabled or disabled' }))
      : [{ key: field.key, hint: describeValues(field) }],
  );
  return completions
    .filter(({ key }) => key.toLowerCase().startsWith(typedText.toLowerCase()))
    .map(({ key, hint }) => ({ ...createSuggestion(`${key}:`, `${key}:`, hint), complete: false }));
}

const MAX_HINT_VALUES = 3;

/** Returns example values. For a filter without known values, returns its label instead, unless the label equals the key. */
function describeValues({ key, label, kind, find, options = [] }: FilterField): string | undefined {
  if (kind === 'day') return 'today, 7d or 2026-11-15';
  if (options.length === 0) return isSameText(key, label) ? undefined : label;
  const values = options.slice(0, MAX_HINT_VALUES).map(({ value, label: name = value }) => name);
  if (find) return `${values.join(', ')} or a name`;
  return options.length > MAX_HINT_VALUES ? `${values.join(', ')}…` : values.join(', ');
}
