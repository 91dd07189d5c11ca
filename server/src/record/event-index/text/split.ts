/** A text as words with the separators around them. Their order is separator 0, word 0, separator 1, …, word n, separator n + 1. */
export type SplitText = { words: string[]; separators: string[] };

const IS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const isWordCode = (code: number): boolean => code >= 128 || IS_WORD[code] === 1;

/**
 * Writes where each word begins and ends, and returns the number of words. Words are the longest runs of letters, digits and
 * characters outside ASCII.
 */
export function findWords(
  codes: Uint16Array,
  length: number,
  starts: Uint32Array,
  ends: Uint32Array,
): number {
  let wordCount = 0;
  for (let index = 0; ; wordCount++) {
    while (index < length && !isWordCode(codes[index] ?? 0)) index++;
    if (index === length) return wordCount;
    starts[wordCount] = index;
    while (index < length && isWordCode(codes[index] ?? 0)) index++;
    ends[wordCount] = index;
  }
}

export function splitText(text: string): SplitText {
  const pieces: SplitText = { words: [], separators: [] };
  const [starts, ends] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  const wordCount = findWords(getCodes(text), text.length, starts, ends);
  for (let n = 0; n <= wordCount; n++) {
    const [start, end] = [starts[n] ?? 0, ends[n] ?? 0];
    pieces.separators.push(text.slice(n === 0 ? 0 : ends[n - 1], n === wordCount ? undefined : start));
    if (n < wordCount) pieces.words.push(text.slice(start, end));
  }
  return pieces;
}

/** Returns the UTF-16 codes of a string. */
export const getCodes = (text: string): Uint16Array =>
  Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Returns whether a character is a quote that begins or ends a JSON string. */
const isQuote = (codes: Uint16Array, index: number): boolean =>
  codes[index] === QUOTE && codes[index - 1] !== BACKSLASH;

/**
 * Returns the index of the quote in a separator after which a phrase cannot continue, or `to` if there is none. A phrase continues
 * from a member name to its value.
 */
export function findEndQuote(codes: Uint16Array, from: number, to: number): number {
  for (let index = from; index < to; index++)
    if (isQuote(codes, index)) return codes[index + 1] === COLON ? to : index;
  return to;
}

/**
 * Returns the index at which a phrase begins: at the last quote in the separator before its first word, or at `from` without a
 * quote.
 */
export function findPhraseStart(codes: Uint16Array, from: number, to: number): number {
  for (let index = to - 1; index >= from; index--) if (isQuote(codes, index)) return index;
  return from;
}

/** Returns whether a code is half of a surrogate pair, which PostgreSQL does not store without the other half. */
export const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;

/** The size of the parts of words and separators. */
export const PART_LENGTH = 3;

/** Returns a separator with up to 3 characters of the word before it and the first character of the word after it. */
export const buildJunction = (previousWord: string, separator: string, nextWord: string): string =>
  previousWord.slice(-PART_LENGTH) + separator + nextWord.slice(0, 1);
