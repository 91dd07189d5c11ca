import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../test/campaign.ts';
import { escapeMarkdown } from './markdown.ts';

test.each([
  ['a name of letters and digits', 'Checkout 2 äß 漢字 😀', 'Checkout 2 äß 漢字 😀'],
  ['a common flag name', 'checkout-v2_beta.1', 'checkout-v2_beta.1'],
  ['formatting that works only at the start of a line', '# a + b - c 1. d > e!', '# a + b - c 1. d > e!'],
  ['emphasis', '**a** _b_ ~~c~~', '\\*\\*a\\*\\* \\_b\\_ \\~\\~c\\~\\~'],
  ['underscores', 'a_b __c a_-b c_', 'a_b \\_\\_c a\\_-b c\\_'],
  ['underscores of a plain name', '__proto__', '\\_\\_proto\\_\\_'],
  ['code', '`rm`', '\\`rm\\`'],
  ['a link', '[a](b)', '\\[a\\](b)'],
  ['an image', '![a](b)', '!\\[a\\](b)'],
  ['HTML', '<b>', '\\<b>'],
  ['an entity', '&lt; &#60; R&D', '\\&lt; \\&#60; R&D'],
  ['a table cell', 'a|b', 'a\\|b'],
  ['braces', '{a}', '{a}'],
  ['a path', 'C:\\temp', 'C:\\temp'],
  ['a backslash before formatting', '\\*', '\\\\\\*'],
  ['a backslash before other punctuation', '\\-', '\\\\-'],
  ['a backslash at the end', 'a\\ \u0000', 'a\\\\'],
  ['a backslash before an underscore', 'a\\_b', 'a\\\\\\_b'],
  ['a mention', '@here', '@\u200Dhere'],
  ['an email address', 'a@b.c', 'a@\u200Db.c'],
  ['a URL', 'https://evil.example', 'https:/\u200D/evil.example'],
  ['a URL without a scheme', 'WWW.evil.example', 'WWW\u200D.evil.example'],
  ['line breaks and tabs', 'a\r\nb\u2028c\u0085d\te', 'a b c d e'],
  ['control characters', 'a\u0000b\u001B[31mc\u007Fd', 'ab\\[31mcd'],
  ['bidi characters', 'a\u202Eb\u2066c\u200Fd\u061Ce', 'abcde'],
  ['half a surrogate pair', 'a\uD83Db', 'ab'],
])('%s becomes plain text', (_, text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});

// In Markdown, a backslash escapes punctuation, and is a plain character before anything else.
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

test('an escaped string renders as it was written', () => {
  const visibleText = fc
    .oneof(fc.string({ unit: 'grapheme-ascii' }), fc.stringMatching(/^[\\_*a&;#-]*$/))
    .map(text => text.replace(/\s+/g, ' ').trim());

  fc.assert(
    fc.property(visibleText, text => {
      // The text includes the closing asterisks, which a backslash at the end would escape.
      const renderedText = `${escapeMarkdown(text)}**`.replaceAll('\u200D', '').replace(ESCAPED, '$1');

      expect(renderedText).toBe(`${text}**`);
    }),
    { numRuns: campaignSize({ usual: 100, long: 10_000 }) },
  );
});

test('an escaped string has no inline formatting, line breaks, control characters or bidi characters', () => {
  const hostile = fc.stringMatching(/^[\\`*_[\]()<>~|&#;@/w.a -]*$/);
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string(), fc.string({ unit: 'binary' })), text => {
      const escaped = escapeMarkdown(text);

      const active = escaped.replace(ESCAPED, ' ');
      expect(active).not.toMatch(/[`*[\]<~|]|\\$|&#?[a-z0-9]+;/i);
      // Underscores are checked with the escapes in place, because an escaped neighbor is punctuation, not a letter.
      expect(escaped.replace(ESCAPED, '-')).not.toMatch(/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/u);
      expect(escaped).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]|@(?!\u200D)|\/\/|www\./iu);
    }),
    { numRuns: campaignSize({ usual: 200, long: 20_000 }) },
  );
});
