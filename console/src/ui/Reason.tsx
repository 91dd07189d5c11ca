import { TextInput } from '@mantine/core';
import { MAX_REASON_LENGTH } from '../api/reason.ts';

/** Whether the reason for a change is optional or required, in a form that asks for it. */
export type Reasons = 'optional' | 'required';

export const lacksReason = (reasons: Reasons | undefined, text: string): boolean =>
  reasons === 'required' && text.trim() === '';

/** The reason for a change, which the change's events show. */
export function Reason({
  reasons,
  text,
  onChange,
  onEnter,
  ...inputProps
}: {
  reasons: Reasons;
  text: string;
  onChange(text: string): void;
  /** For a field outside a form. */
  onEnter?(): void;
  className?: string | undefined;
  'data-autofocus'?: boolean | undefined;
  autoFocus?: boolean;
}) {
  return (
    <TextInput
      aria-label="Reason"
      placeholder={reasons === 'required' ? 'Reason (required)' : 'Reason (optional)'}
      required={reasons === 'required'}
      maxLength={MAX_REASON_LENGTH}
      autoComplete="off"
      value={text}
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        if (onEnter && event.key === 'Enter' && !event.nativeEvent.isComposing) {
          event.preventDefault();
          onEnter();
        }
      }}
      {...inputProps}
    />
  );
}
