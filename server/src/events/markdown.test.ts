import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeMarkdown } from './markdown.ts';

test.each([
  ['a name of letters and digits', 'Checkout 2 äß 漢字 😀', 'Checkout 2 äß 漢字 😀'],
  ['a common flag name', 'checkout-v2_beta.1', 'checkout\\-v2\\_beta\\.1'],
  ['emphasis', '**a** _b_ ~~c~~', '\\*\\*a\\*\\* \\_b\\_ \\~\\~c\\~\\~'],
  ['code', '`rm`', '\\`rm\\`'],
  ['a heading or list', '# a + b', '\\# a \\+ b'],
  ['a link', '[a](b)', '\\[a\\]\\(b\\)'],
  ['an image', '![a](b)', '\\!\\[a\\]\\(b\\)'],
  ['HTML', '<b>', '\\<b\\>'],
  ['an entity', '&lt;', '\\&lt;'],
  ['a table cell', 'a|b', 'a\\|b'],
  ['braces', '{a}', '\\{a\\}'],
  ['a backslash before a special', '\\*', '\\\\\\*'],
  ['a mention', '@here', '\\@\u200Dhere'],
  ['a mail address', 'a@b.c', 'a\\@\u200Db\\.c'],
  ['a web address', 'https://evil.example', 'https:/\u200D/evil\\.example'],
  ['a web address without scheme', 'WWW.evil.example', 'WWW\u200D\\.evil\\.example'],
  ['line breaks and tabs', 'a\r\nb\u2028c\u0085d\te', 'a b c d e'],
  ['control characters', 'a\u0000b\u001B[31mc\u007Fd', 'ab\\[31mcd'],
  ['bidi characters', 'a\u202Eb\u2066c\u200Fd\u061Ce', 'abcde'],
  ['half a surrogate pair', 'a\uD83Db', 'ab'],
])('%s becomes plain text', (_, text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});

test('what is escaped reads as it was written', () => {
  const visible = fc.string({ unit: 'grapheme-ascii' }).map(text => text.replace(/\s+/g, ' '));

  fc.assert(
    fc.property(visible, text => {
      const shown = escapeMarkdown(text).replaceAll('\u200D', '').replace(/\\(.)/g, '$1');

      expect(shown).toBe(text);
    }),
  );
});

test('no text keeps an unescaped special, a line break, a control or a bidi character', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), text => {
      const escaped = escapeMarkdown(text);

      expect(escaped.replace(/\\[^a-z0-9\s]/gi, '')).not.toMatch(/[\\`*_{}[\]()#+\-.!|<>~@&]/);
      expect(escaped).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]|@(?!\u200D)|\/\//u);
    }),
    { numRuns: 1_000 },
  );
});
