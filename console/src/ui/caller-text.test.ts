import { expect, test } from 'vitest';
import { escapeControls, escapeText, quoteText } from './caller-text.ts';

test.each([
  ['\u202Efdp', '\\u202Efdp'],
  ['\u001B[31m', '\\u001B[31m'],
  ['a\r\n\tb\u0085', 'a\\r\\n\\tb\\u0085'],
  ['a\u2028b\uD800', 'a\\u2028b\\uD800'],
  ['naïve 🎉', 'naïve 🎉'],
])('escapes the control and bidi characters of %j', (text, escapedText) => {
  expect(escapeControls(text)).toBe(escapedText);
  expect(escapeText(text)).toBe(escapedText);
});

test('isolates right-to-left text, so that it does not reorder the words around it', () => {
  expect(escapeText('שלום')).toBe('\u2068שלום\u2069');
  expect(escapeText('\u2068a\u2069')).toBe('\\u2068a\\u2069');
});

test.each([
  ['team', 'team'],
  ['New York', 'New York'],
  ['', '""'],
  [' team', '" team"'],
  ['team ', '"team "'],
  ['a, b or 4 more', '"a, b or 4 more"'],
  ['4 more', '"4 more"'],
  ['free or paid', '"free or paid"'],
  ['free and plan is paid', '"free and plan is paid"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['“hi”', '"“hi”"'],
  ['a,\u202Eb', '"a,\\u202Eb"'],
])('shows the value %j as %s', (value, text) => {
  expect(quoteText(value)).toBe(text);
});
