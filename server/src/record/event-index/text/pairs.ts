import { emptyBitmap } from '../bitmap.ts';
import { type Lexicon, makeLexicon } from './lexicon.ts';
import { toStored } from './position-sets.ts';
import { FREQUENT_PHRASE, type TextPosting } from './posting.ts';
import { addToHash, bucketOf, EMPTY_HASH, PAIR_BUCKETS } from './split.ts';
import type { Tokens } from './tokens.ts';
import { makeTriples } from './triples.ts';

const BITMAP = emptyBitmap().length;

/** Counters of hashes. A pair whose counter is too low is in too few events for a phrase. */
const COUNTERS_BITS = 18;
const COUNTER_SHIFT = 32 - COUNTERS_BITS;

/**
 * Collects pairs of adjacent frequent words, by word, separator and word, and frequent words with the beginning of the next word, by
 * word, separator and beginning. All are noted in their buckets. Those that may be in enough events for a phrase are counted.
 * `startingAt` has the number of the pair that begins at a place, or -1.
 */
export function collectPairs(tokens: Tokens, isFrequent: Uint8Array, starts: Beginnings) {
  const { words, separators } = tokens;
  const buckets = makeBuckets();
  const counters = new Uint8Array(1 << COUNTERS_BITS);
  const hashes = hashesOf(words, isFrequent);
  /** The first visit writes the hashes of the pairs, the second one their numbers. */
  const startingAt = new Int32Array(tokens.size()).fill(-1);

  const noteHash = (hash: number, position: number) => {
    buckets.add(bucketOf(hash), position);
    const counter = hash >>> COUNTER_SHIFT;
    if ((counters[counter] ?? 0) < FREQUENT_PHRASE) counters[counter] = (counters[counter] ?? 0) + 1;
  };
  const isCounted = (hash: number): boolean => counters[hash >>> COUNTER_SHIFT] === FREQUENT_PHRASE;
  /** The hash of a word and the separator after it. */
  const hashBefore = (word: number, separator: number): number =>
    hashCodes(
      hashes[word] ?? 0,
      separators.codes(),
      separators.startOf(separator),
      separators.endOf(separator),
    );

  tokens.eachWord((position, at, last) => {
    const word = tokens.wordAt(at);
    if (at + 1 >= last || isFrequent[word] === 0) return;
    const [separator, next] = [tokens.separatorAt(at + 1), tokens.wordAt(at + 1)];
    const [start, end] = [words.startOf(next), words.endOf(next)];
    const hash = hashBefore(word, separator);
    if (isFrequent[next] === 1) {
      startingAt[at] = hashCodes(hash, words.codes(), start, end);
      noteHash(startingAt[at] ?? 0, position);
    }
    const count = starts.countAfter(separator, next);
    for (let n = 1; n <= count; n++)
      noteHash(hashCodes(hash, words.codes(), start, starts.endOf(next, n)), position);
  });

  const pairs = makeTriples();
  const beginnings = makeTriples();
  tokens.eachWord((position, at, last) => {
    const word = tokens.wordAt(at);
    if (at + 1 >= last || isFrequent[word] === 0) return;
    const [separator, next] = [tokens.separatorAt(at + 1), tokens.wordAt(at + 1)];
    if (isFrequent[next] === 1) {
      const mayBePhrase = isCounted(startingAt[at] ?? 0);
      startingAt[at] = mayBePhrase ? pairs.note(word, separator, next, position) : -1;
    }
    const count = starts.countAfter(separator, next);
    if (count === 0) return;
    const hash = hashBefore(word, separator);
    for (let n = 1; n <= count; n++) {
      if (isCounted(hashCodes(hash, words.codes(), words.startOf(next), starts.endOf(next, n))))
        beginnings.note(word, separator, starts.idOf(next, n), position);
    }
  });
  return { pairs, beginnings, startingAt, buckets: buckets.postings };
}

export type Pairs = ReturnType<typeof collectPairs>;

function hashCodes(hash: number, codes: Uint16Array, from: number, to: number): number {
  let result = hash;
  for (let at = from; at < to; at++) result = addToHash(result, codes[at] ?? 0);
  return result;
}

/** The first half of a surrogate pair: the second one follows. */
export const isFirstHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** The hashes of the frequent words. */
function hashesOf(words: Lexicon, isFrequent: Uint8Array): Int32Array {
  const codes = words.codes();
  const hashes = new Int32Array(words.size());
  for (let word = 0; word < hashes.length; word++) {
    if (isFrequent[word] === 0) continue;
    hashes[word] = hashCodes(EMPTY_HASH, codes, words.startOf(word), words.endOf(word));
  }
  return hashes;
}

function makeBuckets() {
  const bitmaps = new Uint32Array(PAIR_BUCKETS * BITMAP);
  return {
    add: (bucket: number, position: number): void => {
      const word = bucket * BITMAP + (position >>> 5);
      bitmaps[word] = (bitmaps[word] ?? 0) | (1 << (position & 31));
    },
    *postings(): Generator<TextPosting> {
      for (let bucket = 0; bucket < PAIR_BUCKETS; bucket++) {
        const set = toStored(bitmaps.subarray(bucket * BITMAP, (bucket + 1) * BITMAP));
        if (set.count > 0) yield { dimension: 'pair', value: String(bucket), ...set };
      }
    },
  };
}

/** Numbers the beginnings of words, of 1 and 2 characters. */
export function makeBeginnings(tokens: Tokens) {
  const { words } = tokens;
  const lexicon = makeLexicon();
  /** Two numbers per word, plus 1: 0 until they are asked for. */
  const known = new Uint32Array(2 * words.size());
  const codes = words.codes();
  const endOf = (word: number, characters: number): number => {
    let end = words.startOf(word);
    for (let n = 0; n < characters; n++) end += isFirstHalf(codes[end] ?? 0) ? 2 : 1;
    return end;
  };
  return {
    lexicon,
    /** How many beginnings of a word are noted after a separator: as many as `beginningsOf` has, inside of a JSON string. */
    countAfter: (separator: number, word: number): number => {
      if (!tokens.isInString(separator)) return 0;
      return tokens.hasSpace(separator) || endOf(word, 1) === words.endOf(word) ? 1 : 2;
    },
    /** The end of a beginning among the codes of the words. */
    endOf,
    idOf: (word: number, characters: number): number => {
      const place = 2 * word + characters - 1;
      const id = known[place] ?? 0;
      if (id > 0) return id - 1;
      const computed = lexicon.idOf(codes, words.startOf(word), endOf(word, characters));
      known[place] = computed + 1;
      return computed;
    },
  };
}

export type Beginnings = ReturnType<typeof makeBeginnings>;
