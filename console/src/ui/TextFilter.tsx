import { TextInput } from '@mantine/core';
import { Search as SearchIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useShortcuts } from './shortcuts.ts';
import s from './TextFilter.module.css';

/** The header of a filtered list, with an input that `/` focuses, the number of matches, and further filters. */
export function TextFilter({
  label,
  placeholder,
  value,
  resultText,
  onChange,
  children,
}: {
  label: string;
  placeholder: string;
  value: string;
  /** The number of results, such as "12 projects", or undefined while the results load. */
  resultText: string | undefined;
  onChange(value: string): void;
  children?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: '/', description: 'Filter the list', run: () => input.current?.focus() }]);
  return (
    <div className={s.filters}>
      <TextInput
        ref={input}
        className={s.text}
        aria-label={label}
        placeholder={placeholder}
        leftSection={<SearchIcon size={15} />}
        value={value}
        maxLength={200}
        onChange={event => onChange(event.target.value)}
      />
      {resultText !== undefined && <span className={s.result}>{resultText}</span>}
      {children}
    </div>
  );
}
