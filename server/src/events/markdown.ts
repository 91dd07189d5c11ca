const ZERO_WIDTH_JOINER = '\u200D';

/** Makes a text of unknown origin safe to put into one line of Markdown, where it reads as it was written. */
export function escapeMarkdown(text: string): string {
  // Most names: of what follows only the escaping applies to them, and three searches less are half the time.
  if (/^[\w.-]*$/.test(text) && !/www/i.test(text)) return text.replace(/[_.-]/g, '\\$&');
  return (
    text
      .replace(/[\s\u0085]+/gu, ' ')
      // Lone surrogates too: they have no UTF-8 form.
      .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '')
      // `&` is not formatting, but `&lt;` would read as `<`.
      .replace(/[\\`*_{}[\]()#+\-.!|<>~@&]/g, '\\$&')
      // Chat clients and some renderers look for mentions and bare addresses after unescaping, so a backslash
      // does not stop them.
      .replace(/@|\/(?=\/)|www(?=\\\.)/gi, `$&${ZERO_WIDTH_JOINER}`)
  );
}
