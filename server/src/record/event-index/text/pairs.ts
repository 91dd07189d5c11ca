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
  const buckets = makeBuckets();
  const counters = new Uint8Array(1 << COUNTERS_BITS);
  eachPair(tokens, isFrequent, (position, _at, _separator, _next, hash) => {
    buckets.add(bucketOf(hash), position);
    const counter = hash >>> COUNTER_SHIFT;
    if ((counters[counter] ?? 0) < FREQUENT_PHRASE) counters[counter] = (counters[counter] ?? 0) + 1;
  });
  const pairs = makeTriples();
  const beginnings = makeTriples();
  const startingAt = new Int32Array(tokens.size()).fill(-1);
  const visit = () =>
    eachPair(tokens, isFrequent, (position, at, separator, next, hash, characters) => {
      if (counters[hash >>> COUNTER_SHIFT] !== FREQUENT_PHRASE) return;
      const word = tokens.wordAt(at);
      if (characters > 0) beginnings.note(word, separator, starts.idOf(next, characters), position);
      else startingAt[at] = pairs.note(word, separator, next, position);
    });
  visit();
  return {
    pairs,
    beginnings,
    startingAt,
    buckets: buckets.postings,
    /** Adds the events to the sets of the chosen pairs and beginnings. */
    addToSets: visit,
  };
}

export type Pairs = ReturnType<typeof collectPairs>;

/**
 * Calls with each frequent word at a place, and the word after it if that is frequent too, or the beginning of it. `characters` is the
 * length of the beginning, 0 for a word. The hash is that of the whole text.
 */
function eachPair(
  tokens: Tokens,
  isFrequent: Uint8Array,
  call: (
    position: number,
    at: number,
    separator: number,
    next: number,
    hash: number,
    characters: number,
  ) => void,
): void {
  const { words, separators } = tokens;
  const [codes, ofSeparators] = [words.codes(), separators.codes()];
  const hashes = hashesOf(words, isFrequent);
  tokens.eachWord((position, at, last) => {
    const word = tokens.wordAt(at);
    if (at + 1 >= last || isFrequent[word] === 0) return;
    const separator = tokens.separatorAt(at + 1);
    const next = tokens.wordAt(at + 1);
    const most = tokens.isInString(separator) ? (tokens.hasSpace(separator) ? 1 : 2) : 0;
    const isPair = isFrequent[next] === 1;
    if (!isPair && most === 0) return;
    let hash = hashes[word] ?? 0;
    for (let n = separators.startOf(separator), end = separators.endOf(separator); n < end; n++)
      hash = addToHash(hash, ofSeparators[n] ?? 0);
    let characters = 0;
    const end = words.endOf(next);
    for (let n = words.startOf(next); n < end; n++) {
      const code = codes[n] ?? 0;
      hash = addToHash(hash, code);
      if (isFirstHalf(code)) continue;
      if (++characters <= most) call(position, at, separator, next, hash, characters);
      else if (!isPair) return;
    }
    if (isPair) call(position, at, separator, next, hash, 0);
  });
}

/** The first half of a surrogate pair: the second one follows. */
export const isFirstHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** The hashes of the frequent words. */
function hashesOf(words: Lexicon, isFrequent: Uint8Array): Int32Array {
  const codes = words.codes();
  const hashes = new Int32Array(words.size());
  for (let word = 0; word < hashes.length; word++) {
    if (isFrequent[word] === 0) continue;
    let hash = EMPTY_HASH;
    for (let at = words.startOf(word); at < words.endOf(word); at++) hash = addToHash(hash, codes[at] ?? 0);
    hashes[word] = hash;
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
    /** How many beginnings of a word are noted after a separator: as many as `beginningsOf` has. */
    countAfter: (separator: number, word: number): number =>
      tokens.hasSpace(separator) || endOf(word, 1) === words.endOf(word) ? 1 : 2,
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
