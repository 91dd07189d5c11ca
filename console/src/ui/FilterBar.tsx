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
  chipOf,
  type FilterField,
  filtersOf,
  parseTyped,
  removeFilter,
  type Suggestion,
  suggest,
  textSuggestion,
  textToFind,
  typedOf,
  usualChoice,
} from './filters.ts';
import { Menu, MenuItem } from './Menu.tsx';
import { type Search, stringifySearch } from './search.ts';
import { useShortcuts } from './shortcuts.ts';

/**
 * The filters of a list: one chip per parameter of the URL, which is the query of the API. Typing `project:` offers values; plain
 * text becomes `query`. The key / focuses the bar. `onChange` gets the whole new search: push it as one history entry
 * (`useFilters` does).
 */
export function FilterBar({
  fields,
  search,
  onChange,
  found,
  hint = 'Add a filter, or text to find',
  api,
}: {
  fields: readonly FilterField[];
  search: Search;
  onChange(next: Search): void;
  /** The exact total: "2,341 events". */
  found?: string;
  hint?: string;
  /** The path of the API whose query this is, for "Copy as cURL". */
  api: string;
}) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const filters = filtersOf(search, fields);
  const suggestions = useSuggestions(isOpen ? typed : undefined, fields, search.query);
  // Enter chooses the entry marked with the arrow keys, or what the typed string means.
  const marked = active >= 0 ? active : usualChoice(typed, suggestions);
  useShortcuts([{ keys: '/', description: 'Filter the list', run: () => input.current?.focus() }]);

  const commit = (text: string) => {
    if (text.trim() === '') return;
    const filter = parseTyped(text, fields);
    if ('error' in filter) return setError(filter.error);
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
    setTyped(typedOf(filter.name, filter.value, fields));
    onChange(removeFilter(search, filter));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = filters.at(-1);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive(Math.max(-1, Math.min(suggestions.length - 1, marked + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (marked >= 0) choose(marked);
      else commit(typed);
    } else if (event.key === 'Tab' && active >= 0) {
      event.preventDefault();
      choose(active);
    } else if (event.key === 'Escape') {
      setOpen(false);
      if (!isOpen) input.current?.blur();
    } else if (event.key === 'Backspace' && typed === '' && last) {
      event.preventDefault();
      edit(last);
    }
  };

  return (
    <div className={s.frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: the element <search> has no styles to build on */}
      <div className={s.bar} role="search" aria-label="Filters">
        <ListFilter size={15} className={s.icon} aria-hidden="true" />
        {filters.map(filter => (
          <FilterChip
            key={filter.name + filter.value}
            chip={chipOf(filter.name, filter.value, fields)}
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
          aria-activedescendant={marked >= 0 ? `${id}-${marked}` : undefined}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          autoComplete="off"
          spellCheck={false}
          placeholder={filters.length > 0 ? 'Add a filter' : hint}
          value={typed}
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
        {found !== undefined && (
          <span className={s.found} role="status">
            {found}
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
            key={suggestion.text}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === marked}
            // The input keeps the focus.
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

const MIN_TEXT = 2;

/** What the typed string can become. Undefined: the list is closed. */
function useSuggestions(
  typed: string | undefined,
  fields: readonly FilterField[],
  formerText: Search[string],
): Suggestion[] {
  const field = fields.find(one => one.find);
  const text = textToFind(typed ?? '');
  const { data: found } = useQuery({
    queryKey: keys.filterValues(field?.name, text),
    queryFn: async ({ signal }) => (await field?.find?.(text, signal)) ?? [],
    enabled: field !== undefined && typed !== undefined && text.length >= MIN_TEXT,
    placeholderData: keepPreviousData,
  });
  if (typed === undefined) return [];
  const known = fields.map(one => (one === field && found ? { ...one, options: found } : one));
  const suggestions = suggest(typed, known);
  const isText = typed.trim() !== '' && !typed.includes(':');
  return isText ? [...suggestions, textSuggestion(typed, formerText)] : suggestions;
}

const SHOWN_VALUES = 3;

function FilterChip({ chip, onEdit, onRemove }: { chip: Chip; onEdit(): void; onRemove(): void }) {
  const words = chip.values.slice(0, SHOWN_VALUES).join(', ');
  const more = chip.values.length > SHOWN_VALUES ? ` +${chip.values.length - SHOWN_VALUES}` : '';
  return (
    <span className={s.chip}>
      <button type="button" onClick={onEdit} title="Edit this filter">
        {chip.lead} <b className={chip.mono ? 'mono' : undefined}>{words + more}</b>
      </button>
      <button type="button" aria-label={`Remove the filter ${chip.lead} ${words}`} onClick={onRemove}>
        <X size={12} />
      </button>
    </span>
  );
}

/** This view as a link and as a request. */
function ViewMenu({ search, fields, api }: { search: Search; fields: readonly FilterField[]; api: string }) {
  const query: Search = {};
  for (const { name } of filtersOf(search, fields)) query[name] = search[name];
  const curl = `curl -H "Authorization: $HALYARD_TOKEN" "${location.origin}${api}${stringifySearch(query)}"`;
  return (
    <Menu
      target={
        <ActionIcon aria-label="This view as a link or a request" title="This view as a link or a request">
          <Code2 size={16} />
        </ActionIcon>
      }
    >
      <MenuItem onClick={() => void copyText(location.href, 'Link copied.')}>Copy link</MenuItem>
      <MenuItem onClick={() => void copyText(curl, 'Command copied.')}>Copy as cURL</MenuItem>
    </Menu>
  );
}
