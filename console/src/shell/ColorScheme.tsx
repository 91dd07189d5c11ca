import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Moon, Sun } from 'lucide-react';

/** Toggles between light and dark mode. public/scheme.js applies the choice before the first paint. */
export function ColorScheme() {
  // Keeps transitions, because suspending them adds a style element, which the content security policy rejects.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      aria-label={`Use the ${other} color scheme`}
      title={`Use the ${other} color scheme`}
      onClick={() => setColorScheme(other)}
    >
      {scheme === 'dark' ? <Sun size={16} /> : <Moon size={16} />}
    </ActionIcon>
  );
}
