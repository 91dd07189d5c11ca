import { ActionIcon, Kbd } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Code2, ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { keys } from '../api/keys.ts';
import { copyText } from './Copy.tsx';
import s from './FilterBar.module.css';
import {
  addFilter,
  type Chip,
  type FilterField,
  type FilterOption,
  formatFilter,
  listFilters,
  parseFilter,
  removeFilter,
  toChip,
} from './filters.ts';
import { Menu, MenuItem } from './Menu.tsx';
import { type Search, stringifySearch } from './search.ts';
import { useShortcuts } from './shortcuts.ts';
import {
  createTextSuggestion,
  findDefaultChoice,
  findSearchedField,
  parseSearchText,
  type Suggestion,
  suggest,
  suggestValues,
} from './suggestions.ts';

/**
 * The filters of a list. Each URL parameter, which is also an API query parameter, has a chip. Typing `project:` offers values,
 * and plain text becomes `query`. The key / focuses the bar. `onChange` receives the complete new search, which should become one
 * history entry (`useFilters` does that).
 */
export function FilterBar({
  fields,
  search,
  onChange,
  resultText,
  hint = 'Add a filter or search for text',
  api,
}: {
  fields: readonly FilterField[];
  search: Search;
  onChange(next: Search): void;
  /** The exact total, such as "2,341 events". */
  resultText?: string;
  hint?: string;
  /** The API path that accepts these filters, for "Copy as cURL". */
  api: string;
}) {
  const [typedText, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [activeIndex, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const filters = listFilters(search, fields);
  const { suggestions, fieldsWithValues } = useSuggestions(
    isOpen ? typedText : undefined,
    fields,
    search.query,
  );
  // Enter chooses the option marked with the arrow keys, or otherwise the default option for the typed string.
  const markedIndex = activeIndex >= 0 ? activeIndex : findDefaultChoice(typedText, suggestions);
  useShortcuts([{ keys: '/', description: 'Filter the list', run: () => input.current?.focus() }]);

  const commit = (text: string): void => {
    if (text.trim() === '') return;
    const filter = parseFilter(text, fieldsWithValues);
    if ('error' in filter) {
      const [suggestion, otherSuggestion] = suggestions;
      // An incomplete value is valid if it can only mean one value.
      if (suggestion?.complete && !otherSuggestion && suggestion.text !== text) commit(suggestion.text);
      else setError(filter.error);
      return;
    }
    setTyped('');
    setError(undefined);
    setOpen(false);
    setActive(-1);
    onChange(addFilter(search, filter, fields));
  };
  const choose = (index: number) => {
    const suggestion = suggestions[index];
    if (!suggestion) return;
    if (suggestion.complete) return commit(suggestion.text);
    setTyped(suggestion.text);
    setActive(-1);
  };
  const edit = (filter: { name: string; value: string }) => {
    setTyped(formatFilter(filter.name, filter.value, fields));
    onChange(removeFilter(search, filter));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const lastFilter = filters.at(-1);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive(Math.max(-1, Math.min(suggestions.length - 1, markedIndex + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (markedIndex >= 0) choose(markedIndex);
      else commit(typedText);
    } else if (event.key === 'Tab' && activeIndex >= 0) {
      event.preventDefault();
      choose(activeIndex);
    } else if (event.key === 'Escape') {
      setOpen(false);
      if (!isOpen) input.current?.blur();
    } else if (event.key === 'Backspace' && typedText === '' && lastFilter) {
      event.preventDefault();
      edit(lastFilter);
    }
  };

  return (
    <div className={s.frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers from before 2023 do not support <search> */}
      <div className={s.bar} role="search" aria-label="Filters">
        <ListFilter size={15} className={s.icon} aria-hidden="true" />
        {filters.map(filter => (
          <FilterChip
            key={filter.name + filter.value}
            chip={toChip(filter.name, filter.value, fields)}
            onEdit={() => edit(filter)}
            onRemove={() => onChange(removeFilter(search, filter))}
          />
        ))}
        <input
          ref={input}
          className={s.input}
          role="combobox"
          aria-label="Add a filter"
          aria-expanded={suggestions.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={markedIndex >= 0 ? `${id}-${markedIndex}` : undefined}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          autoComplete="off"
          spellCheck={false}
          placeholder={filters.length > 0 ? 'Add a filter' : hint}
          value={typedText}
          onChange={event => {
            setTyped(event.target.value);
            setError(undefined);
            setOpen(true);
            setActive(-1);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {resultText !== undefined && (
          <span className={s.result} role="status">
            {resultText}
          </span>
        )}
        <Kbd>/</Kbd>
        <ViewMenu search={search} fields={fields} api={api} />
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className={s.error} role="alert">
          {error}
        </p>
      )}
      <div
        id={`${id}-list`}
        className={s.suggestions}
        role="listbox"
        aria-label="Suggestions"
        hidden={suggestions.length === 0}
      >
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names the active option
          <div
            key={`${suggestion.text} ${suggestion.label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === markedIndex}
            // Without this, the click would take the focus from the input.
            onMouseDown={event => event.preventDefault()}
            onClick={() => choose(index)}
          >
            {suggestion.label}
            {suggestion.hint && <small>{suggestion.hint}</small>}
          </div>
        ))}
      </div>
    </div>
  );
}

const MIN_TEXT_LENGTH = 2;

/**
 * Returns suggestions for the typed string, and the fields extended with the values that the server found. The string is undefined
 * while the list is closed.
 */
function useSuggestions(
  typedText: string | undefined,
  fields: readonly FilterField[],
  currentQuery: Search[string],
): { suggestions: Suggestion[]; fieldsWithValues: readonly FilterField[] } {
  const field = findSearchedField(typedText ?? '', fields);
  const text = parseSearchText(typedText ?? '');
  const { data: foundOptions } = useQuery({
    queryKey: keys.filterValues(field?.name, text),
    queryFn: async ({ signal }) => (await field?.find?.(text, signal)) ?? [],
    enabled: field !== undefined && typedText !== undefined && text.length >= MIN_TEXT_LENGTH,
    placeholderData: keepPreviousData,
  });
  if (typedText === undefined) return { suggestions: [], fieldsWithValues: fields };
  const fieldsWithValues = fields.map(candidate =>
    candidate === field && foundOptions
      ? { ...candidate, options: mergeOptions(...(field.options ?? []), ...foundOptions) }
      : candidate,
  );
  const suggestions = suggest(typedText, fieldsWithValues);
  const isText = typedText.trim() !== '' && !typedText.includes(':');
  return {
    fieldsWithValues,
    suggestions: isText
      ? [...suggestions, createTextSuggestion(typedText, currentQuery), ...suggestValues(typedText, fields)]
      : suggestions,
  };
}

/** Merges options. A value can appear with two labels, because users find themselves by name and as "me". */
const mergeOptions = (...options: FilterOption[]): FilterOption[] => [
  ...new Map(options.map(option => [`${option.value} ${option.label}`, option])).values(),
];

const MAX_SHOWN_VALUES = 3;

function FilterChip({ chip, onEdit, onRemove }: { chip: Chip; onEdit(): void; onRemove(): void }) {
  const valueText = chip.values.slice(0, MAX_SHOWN_VALUES).join(', ');
  const moreText = chip.values.length > MAX_SHOWN_VALUES ? ` +${chip.values.length - MAX_SHOWN_VALUES}` : '';
  return (
    <span className={s.chip}>
      <button type="button" onClick={onEdit} title="Edit this filter">
        {chip.lead} <b className={chip.mono ? 'mono' : undefined}>{valueText + moreText}</b>
      </button>
      <button type="button" aria-label={`Remove the filter ${chip.lead} ${valueText}`} onClick={onRemove}>
        <X size={12} />
      </button>
    </span>
  );
}

/** A menu that copies this view as a link or as a cURL command. */
function ViewMenu({ search, fields, api }: { search: Search; fields: readonly FilterField[]; api: string }) {
  const query: Search = {};
  for (const { name } of listFilters(search, fields)) query[name] = search[name];
  const curl = `curl -H "Authorization: $HALYARD_TOKEN" "${location.origin}${api}${stringifySearch(query)}"`;
  return (
    <Menu
      target={
        <ActionIcon aria-label="Copy this view" title="Copy this view">
          <Code2 size={16} />
        </ActionIcon>
      }
    >
      <MenuItem onClick={() => void copyText(location.href, 'Page URL copied.')}>Copy page URL</MenuItem>
      <MenuItem onClick={() => void copyText(curl, 'Command copied.')}>Copy as cURL</MenuItem>
    </Menu>
  );
}
