import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { splitValues } from './draft.ts';
import s from './features.module.css';

const SHOWN = 20;

/** A list of values. Enter or a comma adds one; a pasted list adds all of its values. Backspace removes the last. */
export function ValuesInput({
  label,
  values,
  suggestions = [],
  wrong = [],
  saved,
  mayBeEmpty = false,
  onChange,
}: {
  label: string;
  values: readonly string[];
  suggestions?: readonly { value: string; description?: string }[];
  /** The values that the field does not allow. */
  wrong?: readonly string[];
  /** The values before the user edited them. With them, added ones are marked. */
  saved?: readonly string[];
  mayBeEmpty?: boolean;
  onChange(values: string[]): void;
}) {
  const [typed, setTyped] = useState('');
  const [showsAll, showAll] = useState(false);
  const shown = showsAll ? values : values.slice(0, SHOWN);
  const listId = `values-${label.replace(/\W/g, '-')}`;
  const add = (text: string) => {
    onChange(splitValues(text, values));
    setTyped('');
  };
  const isAdded = (value: string) => saved !== undefined && !saved.includes(value);
  const isInvalid = (values.length === 0 && !mayBeEmpty) || wrong.length > 0;
  return (
    <div className={s.values} data-invalid={isInvalid || undefined}>
      {shown.map(value => (
        <span
          key={value}
          className={s.value}
          data-wrong={wrong.includes(value) || undefined}
          data-added={isAdded(value) || undefined}
        >
          {isAdded(value) && <Plus size={11} aria-label="added" />}
          {value}
          <button
            type="button"
            aria-label={`Remove ${value}`}
            onClick={() => onChange(values.filter(one => one !== value))}
          >
            <X size={11} />
          </button>
        </span>
      ))}
      {values.length > shown.length && (
        <button type="button" className={s.more} onClick={() => showAll(true)}>
          {(values.length - shown.length).toLocaleString('en')} more
        </button>
      )}
      <input
        aria-label={label}
        aria-invalid={isInvalid}
        value={typed}
        placeholder="Add or paste values"
        list={suggestions.length > 0 ? listId : undefined}
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
          if (event.key === 'Enter' && typed.trim() !== '') {
            event.preventDefault();
            add(typed);
          } else if (event.key === 'Backspace' && typed === '') onChange(values.slice(0, -1));
        }}
        onBlur={() => typed.trim() !== '' && add(typed)}
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions.map(({ value, description }) => (
            <option key={value} value={value}>
              {description}
            </option>
          ))}
        </datalist>
      )}
    </div>
  );
}
