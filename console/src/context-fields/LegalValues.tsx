import { ActionIcon, Button, Textarea } from '@mantine/core';
import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { counted } from '../ui/words.ts';
import s from './context-fields.module.css';
import { addValues, MAX_VALUES } from './draft.ts';
import type { LegalValue } from './queries.ts';

const SHOWN = 100;

/** The legal values as a table. Typed and pasted lists are appended; a description follows its value after a tab or a comma. */
export function LegalValues({
  values,
  error,
  onChange,
}: {
  values: readonly LegalValue[];
  error: string | undefined;
  onChange(values: LegalValue[]): void;
}) {
  const [typed, setTyped] = useState('');
  const [showsAll, showAll] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const add = (text: string) => {
    onChange(addValues(text, values).slice(0, MAX_VALUES));
    setTyped('');
  };
  const shown = showsAll ? values : values.slice(0, SHOWN);
  return (
    <section aria-label="Legal values" className={s.legal}>
      <header>
        <h2>Legal values</h2>
        <span>
          {values.length === 0
            ? 'Without legal values, constraints on the field may use any value.'
            : `Constraints on the field may use only these ${counted(values.length, 'value')}.`}
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
            {shown.map((one, index) => (
              <tr key={one.value}>
                <td className="mono">{one.value}</td>
                <td>
                  <input
                    aria-label={`Description of ${one.value}`}
                    placeholder="Optional"
                    maxLength={100}
                    value={one.description ?? ''}
                    onChange={({ target }) =>
                      onChange(
                        values.with(index, {
                          value: one.value,
                          ...(target.value && { description: target.value }),
                        }),
                      )
                    }
                  />
                </td>
                <td>
                  <ActionIcon
                    aria-label={`Remove ${one.value}`}
                    onClick={() => {
                      onChange(values.filter(other => other !== one));
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
      {values.length > shown.length && (
        <Button variant="subtle" onClick={() => showAll(true)}>
          Show {counted(values.length - shown.length, 'more value')}
        </Button>
      )}
      <Textarea
        ref={input}
        aria-label="Add legal values"
        placeholder="Paste a list, or type a value and press Enter"
        autosize
        minRows={1}
        maxRows={6}
        value={typed}
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
          if (typed.trim() !== '') add(typed);
        }}
        onBlur={() => typed.trim() !== '' && add(typed)}
      />
    </section>
  );
}
