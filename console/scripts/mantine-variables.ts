// Writes the CSS variables of theme.ts to src/mantine.gen.css. Otherwise Mantine adds a style element in the browser,
// which the content security policy rejects.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { theme } from '../src/theme.ts';

/** Returns the contents of mantine.gen.css. */
export function renderMantineVariables(): string {
  const variables = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  return `/* Written by \`npm run mantine-variables\` from theme.ts. Do not edit. */\n${convertCssVariables(variables, ':root')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(new URL('../src/mantine.gen.css', import.meta.url), renderMantineVariables());
