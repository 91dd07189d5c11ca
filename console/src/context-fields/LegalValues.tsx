import { ActionIcon, Button, Textarea } from '@mantine/core';
import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { formatCount } from '../ui/words.ts';
import s from './context-fields.module.css';
import { addValues, MAX_VALUES } from './draft.ts';
import type { LegalValue } from './queries.ts';

const MAX_SHOWN = 100;

/** Edits the legal values in a table. Typed and pasted lists are appended. A description follows its value after a tab or a comma. */
export function LegalValues({
  values,
  error,
  onChange,
}: {
  values: readonly LegalValue[];
  error: string | undefined;
  onChange(values: LegalValue[]): void;
}) {
  const [typedText, setTyped] = useState('');
  const [isExpanded, setExpanded] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const add = (text: string) => {
    onChange(addValues(text, values).slice(0, MAX_VALUES));
    setTyped('');
  };
  const shownValues = isExpanded ? values : values.slice(0, MAX_SHOWN);
  return (
    <section aria-label="Legal values" className={s.legal}>
      <header>
        <h2>Legal values</h2>
        <span>
          {values.length === 0
            ? 'Without legal values, constraints on the field may use any value.'
            : `Constraints on the field may use only these ${formatCount(values.length, 'value')}.`}
        </span>
      </header>
      {values.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Description</th>
              <th>
                <span className="sr">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shownValues.map((legalValue, index) => (
              <tr key={legalValue.value}>
                <td className="mono">{legalValue.value}</td>
                <td>
                  <input
                    aria-label={`Description of ${legalValue.value}`}
                    placeholder="Optional"
                    maxLength={100}
                    value={legalValue.description ?? ''}
                    onChange={({ target }) =>
                      onChange(
                        values.with(index, {
                          value: legalValue.value,
                          ...(target.value && { description: target.value }),
                        }),
                      )
                    }
                  />
                </td>
                <td>
                  <ActionIcon
                    aria-label={`Remove ${legalValue.value}`}
                    onClick={() => {
                      onChange(values.filter(other => other !== legalValue));
                      input.current?.focus();
                    }}
                  >
                    <X size={14} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {values.length > shownValues.length && (
        <Button variant="subtle" onClick={() => setExpanded(true)}>
          Show {formatCount(values.length - shownValues.length, 'more value')}
        </Button>
      )}
      <Textarea
        ref={input}
        aria-label="Add legal values"
        placeholder="Paste a list, or type a value and press Enter"
        autosize
        minRows={1}
        maxRows={6}
        value={typedText}
        error={error}
        onChange={event => setTyped(event.target.value)}
        onPaste={event => {
          const text = event.clipboardData.getData('text');
          if (!/[\n\r\t,;]/.test(text)) return;
          event.preventDefault();
          add(text);
        }}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          if (typedText.trim() !== '') add(typedText);
        }}
        onBlur={() => typedText.trim() !== '' && add(typedText)}
      />
    </section>
  );
}
