import { NativeSelect, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { density, setDensity, setTimeZone, timeZone } from '../ui/preferences.ts';
import { areLettersEnabled, setLettersEnabled } from '../ui/shortcuts.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { fullOf } from '../ui/time.ts';
import { Row, Section } from './Section.tsx';

const BROWSER = '';

/** Settings that this browser keeps. */
export function Preferences() {
  return (
    <Section title="Preferences">
      <Theme />
      <Rows />
      <Zone />
      <Letters />
    </Section>
  );
}

function Theme() {
  // Suspending transitions adds a style element, which the content security policy rejects.
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

function Rows() {
  const [chosen, setChosen] = useState(density);
  return (
    <Row title="Density" note="Compact lists show more rows.">
      <NativeSelect
        aria-label="Density"
        value={chosen}
        data={[
          { value: 'comfortable', label: 'Comfortable' },
          { value: 'compact', label: 'Compact' },
        ]}
        onChange={({ target: { value } }) => {
          const next = value === 'compact' ? 'compact' : 'comfortable';
          setDensity(next);
          setChosen(next);
        }}
      />
    </Row>
  );
}

function Zone() {
  const [chosen, setChosen] = useState(timeZone);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(name => name !== 'UTC')];
  return (
    <Row title="Time zone" note={`Now: ${fullOf(new Date().toISOString())}. Filters by day use days in UTC.`}>
      <NativeSelect
        aria-label="Time zone"
        value={chosen ?? BROWSER}
        data={[{ value: BROWSER, label: `Same as the browser (${own})` }, ...zones]}
        onChange={({ target: { value } }) => {
          const next = value === BROWSER ? undefined : value;
          setTimeZone(next);
          setChosen(next);
        }}
      />
    </Row>
  );
}

function Letters() {
  const [letters, setLetters] = useState(areLettersEnabled);
  return (
    <Row
      title="Single-letter shortcuts"
      note="Disable them if your assistive software types letters. Press ? for all shortcuts."
    >
      <Toggle
        checked={letters}
        label="Single-letter shortcuts"
        onChange={enabled => {
          setLettersEnabled(enabled);
          setLetters(enabled);
        }}
        large
      />
    </Row>
  );
}
