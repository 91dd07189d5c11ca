import { TextInput } from '@mantine/core';
import { findNameError } from '../api/errors.ts';

/** The name field of a form that creates something. The name cannot be changed later, because URLs and applications contain it. */
export function NewName({
  description,
  maxLength,
  value,
  error,
  autoFocus = false,
  onChange,
}: {
  description: string;
  maxLength: number;
  value: string;
  /** Why the server rejected the form. */
  error: unknown;
  /** For use on a page. A panel sets the focus itself. */
  autoFocus?: boolean;
  onChange(value: string): void;
}) {
  return (
    <TextInput
      label="Name"
      description={description}
      classNames={{ input: 'mono' }}
      required
      maxLength={maxLength}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      autoFocus={autoFocus}
      value={value}
      error={findNameError(error)}
      onChange={event => onChange(event.target.value.trim())}
    />
  );
}
