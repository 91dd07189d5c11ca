/** A text as words with the separators around them: separator 0, word 0, separator 1, …, word n, separator n + 1. */
export type Pieces = { words: string[]; separators: string[] };

const IS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isWordCode = (code: number): boolean => code >= 128 || IS_WORD[code] === 1;

/** Writes where each word begins and ends, and returns the number of words: the longest runs of letters, digits and characters outside ASCII. */
export function findWords(
  codes: Uint16Array,
  length: number,
  starts: Uint32Array,
  ends: Uint32Array,
): number {
  let count = 0;
  for (let at = 0; ; count++) {
    while (at < length && !isWordCode(codes[at] ?? 0)) at++;
    if (at === length) return count;
    starts[count] = at;
    while (at < length && isWordCode(codes[at] ?? 0)) at++;
    ends[count] = at;
  }
}

export function splitText(text: string): Pieces {
  const pieces: Pieces = { words: [], separators: [] };
  const [starts, ends] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  const count = findWords(codesOf(text), text.length, starts, ends);
  for (let n = 0; n <= count; n++) {
    const [start, end] = [starts[n] ?? 0, ends[n] ?? 0];
    pieces.separators.push(text.slice(n === 0 ? 0 : ends[n - 1], n === count ? undefined : start));
    if (n < count) pieces.words.push(text.slice(start, end));
  }
  return pieces;
}

/** The UTF-16 codes of a string. */
export const codesOf = (text: string): Uint16Array =>
  Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Whether a character is a quote that begins or ends a JSON string. */
const isQuote = (codes: Uint16Array, at: number): boolean =>
  codes[at] === QUOTE && codes[at - 1] !== BACKSLASH;

/** The quote in a separator after which a phrase cannot continue, or `to`. A phrase continues from a member name to its value. */
export function quoteAfter(codes: Uint16Array, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isQuote(codes, at)) return codes[at + 1] === COLON ? to : at;
  return to;
}

/** Where a phrase begins in the separator before its first word: at the last quote. */
export function startOfPhrase(codes: Uint16Array, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) if (isQuote(codes, at)) return at;
  return from;
}

/** Whether a code is half of a surrogate pair, which PostgreSQL does not store without the other half. */
export const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;

/** The size of the parts of words and separators. */
export const PART = 3;

/** The characters around a separator: up to 3 of the word before and the first one of the word after it. */
export const junctionOf = (before: string, separator: string, after: string): string =>
  before.slice(-PART) + separator + after.slice(0, 1);
