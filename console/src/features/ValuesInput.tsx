import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { splitValues } from './draft.ts';
import s from './features.module.css';
import { ValueChoices } from './ValueChoices.tsx';
import type { Choice } from './value-choices.ts';

const MAX_SHOWN = 20;

/** Edits a list of values. Enter or a comma adds a value, a pasted list adds all of its values, and Backspace removes the last value. */
export function ValuesInput({
  label,
  values,
  suggestions = [],
  suggestionsLabel = 'Choices',
  disallowedValues = [],
  savedValues,
  mayBeEmpty = false,
  onChange,
}: {
  label: string;
  values: readonly string[];
  /** The values that the user can choose from, shown below the field. */
  suggestions?: readonly Choice[];
  suggestionsLabel?: string;
  /** The values that the context field does not allow. */
  disallowedValues?: readonly string[];
  /** The values before the user edited them. If they are present, added values are marked. */
  savedValues?: readonly string[];
  mayBeEmpty?: boolean;
  onChange(values: string[]): void;
}) {
  const [typedText, setTyped] = useState('');
  const [isExpanded, setExpanded] = useState(false);
  const shownValues = isExpanded ? values : values.slice(0, MAX_SHOWN);
  const add = (text: string) => {
    onChange(splitValues(text, values));
    setTyped('');
  };
  const toggle = (value: string) => {
    onChange(values.includes(value) ? values.filter(other => other !== value) : [...values, value]);
    setTyped('');
  };
  /** Returns the only suggestion that starts with the text, so that "swe" and Enter add "Sweden". Otherwise, returns the text. */
  const complete = (text: string): string => {
    const start = text.trim().toLowerCase();
    if (suggestions.some(({ value }) => value === text.trim())) return text;
    const [match, ...others] = suggestions.filter(({ value }) => value.toLowerCase().startsWith(start));
    return match && others.length === 0 ? match.value : text;
  };
  const isAdded = (value: string) => savedValues !== undefined && !savedValues.includes(value);
  const isInvalid = (values.length === 0 && !mayBeEmpty) || disallowedValues.length > 0;
  const field = (
    <div className={s.values} data-invalid={isInvalid || undefined}>
      {shownValues.map(value => (
        <span
          key={value}
          className={s.value}
          data-wrong={disallowedValues.includes(value) || undefined}
          data-added={isAdded(value) || undefined}
        >
          {isAdded(value) && <Plus size={11} aria-label="added" />}
          {value}
          <button
            type="button"
            aria-label={`Remove ${value}`}
            onClick={() => onChange(values.filter(other => other !== value))}
          >
            <X size={11} />
          </button>
        </span>
      ))}
      {values.length > shownValues.length && (
        <button type="button" className={s.more} onClick={() => setExpanded(true)}>
          {(values.length - shownValues.length).toLocaleString('en')} more
        </button>
      )}
      <input
        aria-label={label}
        aria-invalid={isInvalid}
        value={typedText}
        placeholder="Add or paste values"
        onChange={event =>
          /[,;]$/.test(event.target.value) ? add(event.target.value) : setTyped(event.target.value)
        }
        onPaste={event => {
          const text = event.clipboardData.getData('text');
          if (!/[\n\r\t,;]/.test(text)) return;
          event.preventDefault();
          add(text);
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && typedText.trim() !== '') {
            event.preventDefault();
            add(complete(typedText));
          } else if (event.key === 'Backspace' && typedText === '') onChange(values.slice(0, -1));
        }}
        onBlur={() => typedText.trim() !== '' && add(typedText)}
      />
    </div>
  );
  if (suggestions.length === 0) return field;
  return (
    <>
      {field}
      <ValueChoices
        label={suggestionsLabel}
        choices={suggestions}
        chosenValues={values}
        typedText={typedText}
        onToggle={toggle}
      />
    </>
  );
}
