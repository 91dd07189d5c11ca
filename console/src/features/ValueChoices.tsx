import { Check } from 'lucide-react';
import { useState } from 'react';
import s from './features.module.css';
import { type Choice, findChoices } from './value-choices.ts';

const MAX_SHOWN = 20;

/** Shows the choices that contain the typed string, as buttons that add and remove a value. */
export function ValueChoices({
  label,
  choices,
  chosenValues,
  typedText,
  onToggle,
}: {
  /** The label of the group: "Choices for plan". */
  label: string;
  choices: readonly Choice[];
  chosenValues: readonly string[];
  typedText: string;
  onToggle(value: string): void;
}) {
  const [isExpanded, setExpanded] = useState(false);
  const found = findChoices(choices, typedText);
  const shownValues = isExpanded ? found : found.slice(0, MAX_SHOWN);
  if (found.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend
    <div role="group" aria-label={label} className={s.choices}>
      {shownValues.map(({ value, description }) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosenValues.includes(value)}
          title={description}
          // Keeps the focus in the field, because the field adds the typed string as a value when it loses the focus.
          onMouseDown={event => event.preventDefault()}
          onClick={() => onToggle(value)}
        >
          {chosenValues.includes(value) && <Check size={12} aria-hidden="true" />}
          {value}
        </button>
      ))}
      {found.length > shownValues.length && (
        <button type="button" className={s.more} onClick={() => setExpanded(true)}>
          {(found.length - shownValues.length).toLocaleString('en')} more
        </button>
      )}
    </div>
  );
}
