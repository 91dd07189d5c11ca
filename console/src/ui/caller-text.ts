/** Control characters, line breaks, lone surrogates and bidi controls, which the server also removes from event summaries. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const SHORT_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Values that would look like several values, or like other words of the sentence. */
const AMBIGUOUS = /^$|^\s|\s$|[,"“”]|\s(?:and|or)\s|^\d+ more$/;

/** Shows characters that would change the text around them as escapes, such as `\u202E`. For whole messages with names in them. */
export const escapeControls = (text: string): string =>
  text.replace(
    CONTROLS,
    character =>
      SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );

/** Prepares a name or title from a caller for a sentence: control characters are escaped, and right-to-left text is isolated. */
export function escapeText(text: string): string {
  const escapedText = escapeControls(text);
  return RIGHT_TO_LEFT.test(escapedText) ? `\u2068${escapedText}\u2069` : escapedText;
}

/** Like `escapeText`, but for one of several values. A value that would be hard to tell from the words around it is quoted. */
export const quoteText = (text: string): string =>
  escapeText(AMBIGUOUS.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text);
