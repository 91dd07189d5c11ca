import { TextInput } from '@mantine/core';
import { Search as SearchIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useShortcuts } from './shortcuts.ts';
import s from './TextFilter.module.css';

/** The head of a list with a filter: the input, which `/` focuses, the number of matches, and further filters. */
export function TextFilter({
  label,
  placeholder,
  value,
  found,
  onChange,
  children,
}: {
  label: string;
  placeholder: string;
  value: string;
  /** "12 projects"; undefined while they load. */
  found: string | undefined;
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
      {found !== undefined && <span className={s.found}>{found}</span>}
      {children}
    </div>
  );
}
