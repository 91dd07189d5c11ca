import { NativeSelect, TextInput } from '@mantine/core';
import { CUSTOM_EXPIRY, type Expiry, LIFETIME_DAYS } from './expiry.ts';

/** Chooses when a token expires: after a number of days, or at the start of a date. */
export function ExpiryFields({
  expiry: { days, date },
  error,
  onChange,
}: {
  expiry: Expiry;
  error: string | undefined;
  onChange(change: Partial<Expiry>): void;
}) {
  const isCustom = days === CUSTOM_EXPIRY;
  return (
    <>
      <NativeSelect
        label="Expires"
        value={days}
        data={[
          ...LIFETIME_DAYS.map(count => ({
            value: String(count),
            label: count === 365 ? 'In 1 year' : `In ${count} days`,
          })),
          { value: CUSTOM_EXPIRY, label: 'On a date…' },
        ]}
        error={isCustom ? undefined : error}
        onChange={event => onChange({ days: event.target.value })}
      />
      {isCustom && (
        <TextInput
          type="date"
          label="Date"
          required
          value={date}
          error={error}
          onChange={event => onChange({ date: event.target.value })}
        />
      )}
    </>
  );
}
