/** A text as words with the separators around them: separator 0, word 0, separator 1, …, word n, separator n + 1. */
export type Pieces = { words: string[]; separators: string[] };

const IS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

export const isWordCode = (code: number): boolean => code >= 128 || IS_WORD[code] === 1;

/** Words are the longest runs of ASCII letters, digits and characters outside ASCII. */
export function splitText(text: string): Pieces {
  const pieces: Pieces = { words: [], separators: [] };
  let [separatorStart, at] = [0, 0];
  while (at < text.length) {
    while (at < text.length && !isWordCode(text.charCodeAt(at))) at++;
    if (at === text.length) break;
    const wordStart = at;
    while (at < text.length && isWordCode(text.charCodeAt(at))) at++;
    pieces.separators.push(text.slice(separatorStart, wordStart));
    pieces.words.push(text.slice(wordStart, at));
    separatorStart = at;
  }
  pieces.separators.push(text.slice(separatorStart));
  return pieces;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII = /^[\u0000-\u007f]*$/;

/** Every run of `size` characters. A character outside the Unicode plane 0 is one character. */
export function gramsOf(text: string, size: number): string[] {
  const characters = ASCII.test(text) ? text : [...text];
  const grams: string[] = [];
  for (let at = 0; at + size <= characters.length; at++) {
    const gram = characters.slice(at, at + size);
    grams.push(typeof gram === 'string' ? gram : gram.join(''));
  }
  return grams;
}

/** Separators with a quote that ends or begins a JSON string. A quote after a backslash is inside of one. */
const LEAVES_STRING = /(^|[^\\])"/;

export const isInString = (separator: string): boolean => !LEAVES_STRING.test(separator);

/**
 * The beginnings of a word that are noted with the word before it: 1 and 2 characters as in `checkout-v2`, and 1 character after
 * whitespace, because sentences have many such words.
 */
export function beginningsOf(word: string, separator: string): string[] {
  const [first = '', second] = [...word.slice(0, 4)];
  return second === undefined || separator.includes(' ') ? [first] : [first, first + second];
}

export const PAIR_BUCKETS = 4_096;

/** The bucket of a word, a separator and the next word or the beginning of it. It is stored, so it must never change (FNV-1a). */
export function pairBucket(pair: string): string {
  let hash = EMPTY_HASH;
  for (let at = 0; at < pair.length; at++) hash = addToHash(hash, pair.charCodeAt(at));
  return String(bucketOf(hash));
}

export const EMPTY_HASH = 0x811c9dc5;
export const addToHash = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
export const bucketOf = (hash: number): number => (hash >>> 0) % PAIR_BUCKETS;
