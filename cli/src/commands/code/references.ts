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
 * A quoted string of characters that are valid in a flag name. Unquoted words do not count, because too many of them mean
 * something else.
 */
const QUOTED = /(["'`])([\w.!~*()-]{2,100})\1/g;

/** Functions of SDKs that take the name of a flag first. */
const CALLS = [
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
const CALL_BEFORE = new RegExp(`\\b(?:${CALLS.join('|')})(?:<[^>()]{0,80}>)?\\(\\s*$`);
/** Longer than any of these names with its opening bracket. */
const CALL_LENGTH = 120;
const MAX_TEXT = 200;

/** The end of a line is looked up only once, because a line can be as long as the file and contain thousands of names. */
const endOf = (text: string, start: number): number => {
  const at = text.indexOf('\n', start);
  return at < 0 ? text.length : at;
};

/** Finds where source code names an existing flag, and where it asks an SDK for a flag that does not exist. */
export function referencesIn(text: string, file: string, known: ReadonlyMap<string, FlagState>): Reference[] {
  const found: Reference[] = [];
  let line = 1;
  let lineStart = 0;
  let lineEnd = endOf(text, 0);
  for (const match of text.matchAll(QUOTED)) {
    const flag = match[2] ?? '';
    const state = known.get(flag);
    if (
      state === undefined &&
      !CALL_BEFORE.test(text.slice(Math.max(0, match.index - CALL_LENGTH), match.index))
    )
      continue;
    while (lineEnd < match.index) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = endOf(text, lineStart);
    }
    const shown = text.slice(lineStart, lineEnd).trim().slice(0, MAX_TEXT);
    found.push({
      flag,
      state: state ?? 'unknown',
      file,
      line,
      column: match.index - lineStart + 1,
      text: shown,
    });
  }
  return found;
}
