import { TextInput, type TextInputProps } from '@mantine/core';
import { utcOf } from './time.ts';
import { fromInput, toInput, zoneName } from './zone.ts';

/** A time in the zone of the user, which it names, with the same time in UTC. The value is in UTC; empty if there is none. */
export function TimeInput({
  value,
  note,
  withSeconds = false,
  onChange,
  ...props
}: Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'description'> & {
  value: string;
  /** More about the field: "Empty: now." */
  note?: string;
  withSeconds?: boolean;
  onChange(value: string): void;
}) {
  const isTime = toInput(value) !== '';
  return (
    <TextInput
      {...props}
      type="datetime-local"
      step={withSeconds ? 1 : undefined}
      value={toInput(value, withSeconds)}
      description={`Time in ${zoneName()}. ${isTime ? utcOf(value) : (note ?? '')}`.trim()}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={event => onChange(fromInput(event.target.value))}
    />
  );
}
