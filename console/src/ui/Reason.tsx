import { TextInput } from '@mantine/core';
import { MAX_REASON_LENGTH } from '../api/reason.ts';

/** Whether the reason for a change is optional or required, in a form that asks for it. */
export type ReasonRule = 'optional' | 'required';

export const lacksReason = (reasonRule: ReasonRule | undefined, text: string): boolean =>
  reasonRule === 'required' && text.trim() === '';

/** The reason for a change, which the change's events show. */
export function Reason({
  reasonRule,
  text,
  onChange,
  onEnter,
  ...inputProps
}: {
  reasonRule: ReasonRule;
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
      placeholder={reasonRule === 'required' ? 'Reason (required)' : 'Reason (optional)'}
      required={reasonRule === 'required'}
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
