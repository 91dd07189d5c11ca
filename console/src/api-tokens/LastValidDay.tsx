import { Button, TextInput } from '@mantine/core';
import s from './api-tokens.module.css';
import { addDays } from './words.ts';

const LIFETIMES = [
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
  { label: '1 year', days: 365 },
];

/** A field for the last day on which a token is valid, such as 2027-01-31. It is empty for a token that never expires. */
export function LastValidDay({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string | undefined;
  onChange(day: string): void;
}) {
  return (
    <div>
      <TextInput
        label="Last valid day (UTC)"
        description="Leave it empty for a token that never expires."
        type="date"
        value={value}
        error={error}
        onChange={event => onChange(event.target.value)}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend */}
      <div role="group" aria-label="Lifetime" className={s.lifetimes}>
        {LIFETIMES.map(({ label, days }) => (
          <Button
            key={label}
            size="compact-xs"
            aria-pressed={value === addDays(days)}
            onClick={() => onChange(addDays(days))}
          >
            {label}
          </Button>
        ))}
        <Button size="compact-xs" aria-pressed={value === ''} onClick={() => onChange('')}>
          Never expires
        </Button>
      </div>
    </div>
  );
}
