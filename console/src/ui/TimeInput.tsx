import { TextInput, type TextInputProps } from '@mantine/core';
import { formatUtc } from './time.ts';
import { formatInput, parseInput, readZoneName } from './zone.ts';

/**
 * A field for a time in the user's time zone. Its description names the zone and shows the time in UTC. The value is in UTC, or
 * empty if there is none.
 */
export function TimeInput({
  value,
  note,
  withSeconds = false,
  onChange,
  ...props
}: Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'description'> & {
  value: string;
  /** A hint shown while the field is empty, such as "Leave it empty for the current time." */
  note?: string;
  withSeconds?: boolean;
  onChange(value: string): void;
}) {
  const isTime = formatInput(value) !== '';
  return (
    <TextInput
      {...props}
      type="datetime-local"
      step={withSeconds ? 1 : undefined}
      value={formatInput(value, withSeconds)}
      description={`Time in ${readZoneName()}. ${isTime ? formatUtc(value) : (note ?? '')}`.trim()}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={event => onChange(parseInput(event.target.value))}
    />
  );
}
