import { endianness } from 'node:os';
import { addPosition, emptyBitmap } from '../bitmap.ts';
import { makeGrams } from './grams.ts';
import { BUCKETS, bucketOf, hashCodes, startHash } from './hash.ts';
import { makeSets, type StoredSet, toStored } from './sets.ts';
import { endInString, endsString, findWords, PART, startInString } from './split.ts';
import { MAX_TERM_LENGTH, makeTerms } from './terms.ts';

/**
 * The kinds of sets of the text index:
 * `gram`: the events with a run of 1 or 2 characters. `word`: with a frequent word, or a frequent separator of 3 characters or more.
 * `phrase`: with a frequent run of words and the separators around it. `bucket`: with a hash of a rare word, or of a junction.
 * `whole`: whose texts are not indexed.
 */
export type Kind = 'gram' | 'word' | 'phrase' | 'bucket' | 'whole';

/** The events of a chunk that have a value. `positions` is in the form of bitmap.ts. */
export type TextSet = StoredSet & { kind: Kind; value: string };

/** Words and phrases that occur less often in a chunk are rare: to check these events takes less time than to read one more set. */
const FREQUENT = 32;
const MAX_PHRASE_WORDS = 6;
/** Longer phrases are not stored with the beginning of the next word. */
const MAX_OPEN_WORDS = 2;
/** Bounds of the memory: 3 kB for each set, whatever the texts are. */
const [MAX_GRAMS, MAX_WORDS, MAX_PHRASES] = [4_096, 4_096, 8_192];
/** Bounds of the time that a chunk takes. A text beyond them is not indexed: a search checks it. */
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_LENGTH = 128_000_000;

const COUNTERS = 1 << 22;
const MOST_COUNTED = 255;

/** Reads all texts of a chunk, and then has the sets of some kinds. */
export type Pass = {
  add: (position: number, text: string) => void;
  sets: () => Generator<TextSet>;
};

/**
 * Collects the sets of a chunk in three passes over its texts, which use the same memory. The first one finds runs of characters and
 * counts words and phrases. The second one collects the frequent words and hashes the rare ones, and the third one collects phrases.
 */
export function makeCollector(key: number) {
  const sets = makeSets(Math.max(MAX_GRAMS, BUCKETS + MAX_WORDS, MAX_PHRASES));
  const counters = new Uint8Array(COUNTERS);
  const codes = new Uint16Array(MAX_TEXT_LENGTH);
  const [starts, ends] = [new Uint32Array(MAX_TEXT_LENGTH / 2), new Uint32Array(MAX_TEXT_LENGTH / 2)];
  const whole = emptyBitmap();
  const [ofWord, ofPhrase] = [startHash(key, 'word'), startHash(key, 'phrase')];
  const [ofPart, ofShort] = [startHash(key, 'part'), startHash(key, 'short')];
  const ofJunction = startHash(key, 'junction');
  const grams = makeGrams(sets, MAX_GRAMS);
  const [words, phrases] = [makeTerms(MAX_WORDS, sets), makeTerms(MAX_PHRASES, sets)];
  let length = 0;

  const counterOf = (hash: number): number => (hash >>> 0) % COUNTERS;
  const countHash = (hash: number): void => {
    const counter = counterOf(hash);
    if ((counters[counter] ?? 0) < MOST_COUNTED) counters[counter] = (counters[counter] ?? 0) + 1;
  };
  const isFrequent = (hash: number): boolean => (counters[counterOf(hash)] ?? 0) >= FREQUENT;
  const addBucket = (position: number, start: number, from: number, to: number): void =>
    sets.add(bucketOf(hashCodes(start, codes, from, to)), position);

  /** Calls with the words, and with the separators that are long enough for a search without a word. */
  const eachToken = (count: number, length: number, call: (from: number, to: number) => void): void => {
    for (let n = 0; n <= count; n++) {
      const [from, to] = [n === 0 ? 0 : (ends[n - 1] ?? 0), n === count ? length : (starts[n] ?? 0)];
      if (to - from >= PART) call(from, to);
      if (n < count) call(starts[n] ?? 0, ends[n] ?? 0);
    }
  };
  /**
   * Calls with the runs of words inside of one JSON string and the separators around them, and with the first character of the next
   * word, because a person types `checkout-v` before `checkout-v2`. A longer run is not visited if the call returns false: it is not
   * more frequent.
   */
  const eachPhrase = (
    count: number,
    length: number,
    call: (from: number, to: number, hash: number) => boolean,
  ): void => {
    for (let first = 0; first < count; first++) {
      const from = startInString(codes, first === 0 ? 0 : (ends[first - 1] ?? 0), starts[first] ?? 0);
      let [at, hash] = [from, ofPhrase];
      for (let n = first; n < count && n < first + MAX_PHRASE_WORDS; n++) {
        const next = n + 1 === count ? length : (starts[n + 1] ?? 0);
        const to = endInString(codes, ends[n] ?? 0, next);
        if (to - from > MAX_TERM_LENGTH) break;
        hash = hashCodes(hash, codes, at, to);
        if (!call(from, to, hash) || endsString(codes, to - 1)) break;
        if (n < first + MAX_OPEN_WORDS && to < length && !isFirstHalf(codes[to] ?? 0))
          call(from, to + 1, hashCodes(hash, codes, to, to + 1));
        at = to;
      }
    }
  };
  const addToken = (position: number, from: number, to: number): void => {
    const hash = hashCodes(ofWord, codes, from, to);
    if (to - from <= MAX_TERM_LENGTH && isFrequent(hash) && words.add(position, hash, codes, from, to))
      return;
    for (let at = from; at + PART <= to; at++) addBucket(position, ofPart, at, at + PART);
    if (to - from <= PART) addBucket(position, ofShort, from, to);
  };
  /** Empties the sets for the next pass, which begins with that many. */
  const restart = (taken: number): void => {
    sets.clear(taken);
    length = 0;
  };
  const visit = (position: number, text: string, call: (count: number, length: number) => void): void => {
    length += text.length;
    if (text.length > MAX_TEXT_LENGTH || length > MAX_LENGTH) {
      addPosition(whole, position);
      return;
    }
    toCodes(text, codes);
    call(findWords(codes, text.length, starts, ends), text.length);
  };
  const count: Pass = {
    add: (position, text) =>
      visit(position, text, (count, length) => {
        if (!grams.add(position, codes, length)) addPosition(whole, position);
        eachToken(count, length, (from, to) => countHash(hashCodes(ofWord, codes, from, to)));
        eachPhrase(count, length, (_from, _to, hash) => {
          countHash(hash);
          return true;
        });
      }),
    *sets() {
      for (const { value, set } of grams.all()) yield { kind: 'gram', value, ...sets.stored(set) };
      restart(BUCKETS);
    },
  };
  const collectWords: Pass = {
    add: (position, text) =>
      visit(position, text, (count, length) => {
        eachToken(count, length, (from, to) => addToken(position, from, to));
        for (let n = 1; n < count; n++) {
          const from = Math.max(starts[n - 1] ?? 0, (ends[n - 1] ?? 0) - PART);
          addBucket(position, ofJunction, from, (starts[n] ?? 0) + 1);
        }
      }),
    *sets() {
      for (let bucket = 0; bucket < BUCKETS; bucket++) {
        const set = sets.stored(bucket);
        if (set.count > 0) yield { kind: 'bucket', value: String(bucket), ...set };
      }
      for (const { text, set } of words.all()) yield { kind: 'word', value: text, ...sets.stored(set) };
      restart(0);
    },
  };
  const collectPhrases: Pass = {
    add: (position, text) =>
      visit(position, text, (count, length) =>
        eachPhrase(count, length, (from, to, hash) => {
          if (!isFrequent(hash)) return false;
          phrases.add(position, hash, codes, from, to);
          return true;
        }),
      ),
    *sets() {
      for (const { text, set } of phrases.all()) {
        const stored = sets.stored(set);
        if (stored.count >= FREQUENT) yield { kind: 'phrase', value: text, ...stored };
      }
      const stored = toStored(whole);
      if (stored.count > 0) yield { kind: 'whole', value: '', ...stored };
    },
  };
  return { passes: [count, collectWords, collectPhrases], free: sets.free };
}

/** The first half of a surrogate pair, which PostgreSQL does not store without the second one. */
const isFirstHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** Writes the UTF-16 codes of a text. Native code takes a fraction of the time of a loop. */
function toCodes(text: string, codes: Uint16Array): void {
  const bytes = Buffer.from(codes.buffer, 0, 2 * text.length);
  bytes.write(text, 'utf16le');
  if (endianness() === 'BE') bytes.swap16();
}
