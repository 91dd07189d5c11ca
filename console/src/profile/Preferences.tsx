import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { readDensity, readTimeZone, setDensity, setTimeZone } from '../ui/preferences.ts';
import { areLettersEnabled, setLettersEnabled } from '../ui/shortcuts.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { formatFullTime } from '../ui/time.ts';
import { Row, Section } from './Section.tsx';

const BROWSER_ZONE = '';

/** The settings that this browser stores. */
export function Preferences() {
  return (
    <Section title="Preferences">
      <ThemeSetting />
      <DensitySetting />
      <TimeZoneSetting />
      <ShortcutSetting />
    </Section>
  );
}

function ThemeSetting() {
  // Keeps transitions, because suspending them adds a style element, which the content security policy rejects.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Row title="Theme">
      <NativeSelect
        aria-label="Theme"
        value={colorScheme}
        data={[
          { value: 'auto', label: 'Same as the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={({ target: { value } }) =>
          setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')
        }
      />
    </Row>
  );
}

function DensitySetting() {
  const [chosenDensity, setChosenDensity] = useState(readDensity);
  return (
    <Row title="Density" note="Compact lists show more rows.">
      <NativeSelect
        aria-label="Density"
        value={chosenDensity}
        data={[
          { value: 'comfortable', label: 'Comfortable' },
          { value: 'compact', label: 'Compact' },
        ]}
        onChange={({ target: { value } }) => {
          const next = value === 'compact' ? 'compact' : 'comfortable';
          setDensity(next);
          setChosenDensity(next);
        }}
      />
    </Row>
  );
}

function TimeZoneSetting() {
  const [chosenZone, setChosenZone] = useState(readTimeZone);
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(name => name !== 'UTC')];
  return (
    <Row
      title="Time zone"
      note={`Now: ${formatFullTime(new Date().toISOString())}. Filters by day use days in UTC.`}
    >
      <NativeSelect
        aria-label="Time zone"
        value={chosenZone ?? BROWSER_ZONE}
        data={[{ value: BROWSER_ZONE, label: `Same as the browser (${browserZone})` }, ...zones]}
        onChange={({ target: { value } }) => {
          const next = value === BROWSER_ZONE ? undefined : value;
          setTimeZone(next);
          setChosenZone(next);
        }}
      />
    </Row>
  );
}

function ShortcutSetting() {
  const [isEnabled, setIsEnabled] = useState(areLettersEnabled);
  return (
    <Row
      title="Single-letter shortcuts"
      note="Disable them if your assistive software types letters. Press ? for all shortcuts."
    >
      <Toggle
        checked={isEnabled}
        label="Single-letter shortcuts"
        onChange={enabled => {
          setLettersEnabled(enabled);
          setIsEnabled(enabled);
        }}
        large
      />
    </Row>
  );
}
