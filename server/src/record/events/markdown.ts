const ZERO_WIDTH_JOINER = '\u200D';

/** Names that have neither whitespace nor formatting. */
const PLAIN_NAME = /^[\w.-]*$/;

/** Turns a string of unknown origin into one line without control characters. */
export function toOneLine(text: string): string {
  if (PLAIN_NAME.test(text)) return text;
  // The pattern includes lone surrogates, which have no UTF-8 form. A run of these characters becomes one space if it contains
  // whitespace, and is removed otherwise.
  const cleanedText = text.replace(/[\s\u0085\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu, run =>
    /[\s\u0085]/u.test(run) ? ' ' : '',
  );
  return cleanedText.trim();
}

/**
 * Makes one line safe inside bold Markdown, so that it reads as it was written. Only what could be formatting there is escaped, so
 * that names stay readable where the summary is shown as plain text. For example, `checkout-v2_beta.1` needs no escaping, because
 * lists and headings only start at the beginning of a line, and an underscore between letters is not emphasis.
 */
export function escapeLine(line: string): string {
  // Fast path: in most names, only underscores may need escaping, and skipping the other searches halves the time.
  if (PLAIN_NAME.test(line) && !/www/i.test(line)) return escapeUnderscores(line);
  const escapedLine = line
    // A backslash escapes only punctuation, and the closing `**` is punctuation, so a trailing backslash must be escaped too. `&`
    // is not formatting, but `&lt;` would read as `<`. The other characters may be emphasis, code, a link, HTML or a table cell.
    .replace(/\\(?=[!-/:-@[-`{-~]|$)|&(?=#?[a-z0-9]+;)|[`*[\]<~|]/gi, '\\$&');
  return (
    escapeUnderscores(escapedLine)
      // Chat clients and some renderers look for mentions and bare URLs after unescaping, so a backslash does not stop them.
      .replace(/@|\/(?=\/)|www(?=\.)/gi, `$&${ZERO_WIDTH_JOINER}`)
  );
}

/** Makes a string of unknown origin safe in a bold part of one line of Markdown. */
export const escapeMarkdown = (text: string): string => escapeLine(toOneLine(text));

/** Escapes all underscores except those between letters or digits. */
const escapeUnderscores = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu, run => run.replaceAll('_', '\\_'));
