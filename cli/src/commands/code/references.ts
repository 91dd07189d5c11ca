import type { FlagState } from './known-flags.ts';

export type Reference = {
  flag: string;
  state: FlagState | 'unknown';
  file: string;
  line: number;
  column: number;
  text: string;
};

/**
 * Matches a quoted string of characters that are valid in a flag name. Unquoted words are ignored, because too many of them mean
 * something else.
 */
const QUOTED_NAME = /(["'`])([\w.!~*()-]{2,100})\1/g;

/** SDK functions whose first argument is the name of a flag. */
const SDK_FUNCTIONS = [
  'isEnabled',
  'is_enabled',
  'IsEnabled',
  'getVariant',
  'get_variant',
  'GetVariant',
  'useFlag',
  'useVariant',
  'getBooleanValue',
  'getBooleanDetails',
  'getStringValue',
  'getStringDetails',
  'getNumberValue',
  'getNumberDetails',
  'getObjectValue',
  'getObjectDetails',
  'get_boolean_value',
  'get_string_value',
];
const CALL_BEFORE = new RegExp(`\\b(?:${SDK_FUNCTIONS.join('|')})(?:<[^>()]{0,80}>)?\\(\\s*$`);
/** Longer than any SDK function name with a type argument and an opening parenthesis. */
const MAX_CALL_LENGTH = 120;
const MAX_TEXT_LENGTH = 200;

/** Finds the end of a line. Callers do this once per line, because a line can be as long as the file and contain thousands of names. */
const lineEndAfter = (text: string, start: number): number => {
  const index = text.indexOf('\n', start);
  return index < 0 ? text.length : index;
};

/** Finds where source code names an existing flag, and where it asks an SDK for a flag that does not exist. */
export function findReferences(
  text: string,
  file: string,
  flagStates: ReadonlyMap<string, FlagState>,
): Reference[] {
  const references: Reference[] = [];
  let line = 1;
  let lineStart = 0;
  let lineEnd = lineEndAfter(text, 0);
  for (const match of text.matchAll(QUOTED_NAME)) {
    const flag = match[2] ?? '';
    const state = flagStates.get(flag);
    if (
      state === undefined &&
      !CALL_BEFORE.test(text.slice(Math.max(0, match.index - MAX_CALL_LENGTH), match.index))
    )
      continue;
    while (lineEnd < match.index) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = lineEndAfter(text, lineStart);
    }
    const lineText = text.slice(lineStart, lineEnd).trim().slice(0, MAX_TEXT_LENGTH);
    references.push({
      flag,
      state: state ?? 'unknown',
      file,
      line,
      column: match.index - lineStart + 1,
      text: lineText,
    });
  }
  return references;
}
