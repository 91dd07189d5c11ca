/**
 * The dimensions of the text index:
 * `gram`: runs of 1 and 2 characters. `word`: frequent words. `phrase`: frequent texts with separators.
 * `separator`: frequent runs of at least 3 characters between words, such as `": {"`.
 * `rare`: runs of 3 characters in words and separators that are not frequent, and such words of up to 3 characters after a `=`.
 * `pair`: buckets of two adjacent frequent words, and of a frequent word with the beginning of the next word of its JSON string.
 * `long`: events whose text is not indexed.
 */
export type TextDimension = 'gram' | 'word' | 'separator' | 'phrase' | 'rare' | 'pair' | 'long';

/** The events of a chunk that have a value. `positions` is in the form of bitmap.ts. */
export type TextPosting = { dimension: TextDimension; value: string; count: number; positions: string };

/** A B-tree of PostgreSQL takes values of up to 2,700 bytes. */
export const MAX_TERM_LENGTH = 200;

/** A text with separators that many events of a chunk contain. */
export type Phrase = { text: string; count: number; positions: string };

/** Phrases in fewer events of a chunk are found by their words and checked. */
export const FREQUENT_PHRASE = 64;
