import { endianness } from 'node:os';
import { addPosition, emptyBitmap } from '../bitmap.ts';
import { hashCodes, JUNCTION_BUCKETS, junctionBucket, PART_BUCKETS, partBucket, startHash } from './hash.ts';
import { makeSets, type StoredSet, toStored } from './sets.ts';
import { findWords, isSurrogate, PART, quoteAfter, startOfPhrase } from './split.ts';
import { MAX_TERM_LENGTH, makeTerms } from './terms.ts';

/**
 * The kinds of sets of the text index:
 * `gram`: the events with a run of 1 or 2 characters. `word`: with a frequent word, or a frequent separator of 3 characters or more.
 * `part`: with 3 characters of a rare word. `phrase`: with a frequent run of words and the separators around it. `bucket`: with a hash
 * of a junction, or of a part without a set. `whole`: whose texts are not indexed.
 */
export type Kind = 'gram' | 'word' | 'part' | 'phrase' | 'bucket' | 'whole';

/** The events of a chunk that have a value. `positions` is in the form of bitmap.ts. */
export type TextSet = StoredSet & { kind: Kind; value: string };

/** Words and phrases that occur less often in a chunk are rare: checking their events is cheaper than reading one more set. */
const FREQUENT = 32;
const MAX_PHRASE_WORDS = 6;
/** Longer phrases are not stored with the beginning of the next word. */
const MAX_OPEN_WORDS = 2;
/** These limit the memory: each set takes 3 kB, whatever the events contain. */
const [MAX_GRAMS, MAX_WORDS, MAX_PARTS, MAX_PHRASES] = [4_096, 4_096, 6_144, 8_192];
/** These limit the time that a chunk takes. An event beyond them is not indexed, so searches check it. */
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_LENGTH = 128_000_000;

const COUNTERS = 1 << 22;
const MAX_COUNTED = 255;

/** One pass over all texts of a chunk, which yields the sets of some kinds. */
export type Pass = {
  add: (position: number, text: string) => void;
  sets: () => Generator<TextSet>;
};

/**
 * Collects the sets of a chunk in three passes over its texts, which use the same memory. The first one finds runs of characters and
 * junctions, and counts words and phrases. The second one collects the frequent words and the parts of the rare ones, and the third one
 * collects phrases.
 */
export function makeCollector(key: number) {
  const sets = makeSets(
    Math.max(JUNCTION_BUCKETS + MAX_GRAMS, PART_BUCKETS + MAX_WORDS + MAX_PARTS, MAX_PHRASES),
  );
  const counters = new Uint8Array(COUNTERS);
  const codes = new Uint16Array(MAX_TEXT_LENGTH);
  const [starts, ends] = [new Uint32Array(MAX_TEXT_LENGTH / 2), new Uint32Array(MAX_TEXT_LENGTH / 2)];
  const whole = emptyBitmap();
  const [ofGram, ofWord, ofPhrase] = [
    startHash(key, 'gram'),
    startHash(key, 'word'),
    startHash(key, 'phrase'),
  ];
  const [ofPart, ofJunction] = [startHash(key, 'part'), startHash(key, 'junction')];
  const [grams, words] = [makeTerms(MAX_GRAMS, sets), makeTerms(MAX_WORDS, sets)];
  const [parts, phrases] = [makeTerms(MAX_PARTS, sets), makeTerms(MAX_PHRASES, sets)];
  let length = 0;

  const counterOf = (hash: number): number => (hash >>> 0) % COUNTERS;
  const countHash = (hash: number): void => {
    const counter = counterOf(hash);
    if ((counters[counter] ?? 0) < MAX_COUNTED) counters[counter] = (counters[counter] ?? 0) + 1;
  };
  const isFrequent = (hash: number): boolean => (counters[counterOf(hash)] ?? 0) >= FREQUENT;
  const addGram = (position: number, from: number, to: number): boolean =>
    grams.add(position, hashCodes(ofGram, codes, from, to), codes, from, to);
  /** Returns false if there is no room for a run of 1 or 2 characters. */
  const addGrams = (position: number, length: number): boolean => {
    for (let before = 0, at = 0; at < length; ) {
      const to = at + (isSurrogate(codes[at] ?? 0) ? 2 : 1);
      if (!addGram(position, at, to) || !addGram(position, before, to)) return false;
      before = at;
      at = to;
    }
    return true;
  };
  /** Half of a surrogate pair cannot be stored as text. */
  const addPart = (position: number, from: number): void => {
    const hash = hashCodes(ofPart, codes, from, from + PART);
    const isWhole =
      !isSurrogate(codes[from] ?? 0) &&
      !isSurrogate(codes[from + 1] ?? 0) &&
      !isSurrogate(codes[from + 2] ?? 0);
    if (!isWhole || !parts.add(position, hash, codes, from, from + PART))
      sets.add(partBucket(hash) - JUNCTION_BUCKETS, position);
  };

  /** Visits the words, and the separators that a search without a word can look for. */
  const eachToken = (count: number, length: number, call: (from: number, to: number) => void): void => {
    for (let n = 0; n <= count; n++) {
      const [from, to] = [n === 0 ? 0 : (ends[n - 1] ?? 0), n === count ? length : (starts[n] ?? 0)];
      if (to - from >= PART) call(from, to);
      if (n < count) call(starts[n] ?? 0, ends[n] ?? 0);
    }
  };
  /**
   * Visits the runs of words in one JSON string, or in a member name and its value, together with the separators around them. Short runs
   * are visited again with the first character of the next word, because people type `checkout-v` before `checkout-v2`. If the call
   * returns false, longer runs are skipped, because they cannot be more frequent.
   */
  const eachPhrase = (
    count: number,
    length: number,
    call: (from: number, to: number, hash: number) => boolean,
  ): void => {
    for (let first = 0; first < count; first++) {
      const from = startOfPhrase(codes, first === 0 ? 0 : (ends[first - 1] ?? 0), starts[first] ?? 0);
      let [at, hash] = [from, ofPhrase];
      for (let n = first; n < count && n < first + MAX_PHRASE_WORDS; n++) {
        const next = n + 1 === count ? length : (starts[n + 1] ?? 0);
        const quote = quoteAfter(codes, ends[n] ?? 0, next);
        const to = Math.min(quote + 1, next);
        if (to - from > MAX_TERM_LENGTH) break;
        hash = hashCodes(hash, codes, at, to);
        if (!call(from, to, hash) || quote < next) break;
        if (n < first + MAX_OPEN_WORDS && to < length && !isSurrogate(codes[to] ?? 0))
          call(from, to + 1, hashCodes(hash, codes, to, to + 1));
        at = to;
      }
    }
  };
  const addToken = (position: number, from: number, to: number): void => {
    const hash = hashCodes(ofWord, codes, from, to);
    if (to - from <= MAX_TERM_LENGTH && isFrequent(hash) && words.add(position, hash, codes, from, to))
      return;
    for (let at = from; at + PART <= to; at++) addPart(position, at);
  };
  /** Empties the sets for the next pass and reserves the first ones for its buckets. */
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
  function* buckets(first: number, count: number): Generator<TextSet> {
    for (let n = 0; n < count; n++) {
      const set = sets.stored(n);
      if (set.count > 0) yield { kind: 'bucket', value: String(first + n), ...set };
    }
  }
  const count: Pass = {
    add: (position, text) =>
      visit(position, text, (count, length) => {
        if (!addGrams(position, length)) addPosition(whole, position);
        for (let n = 1; n < count; n++) {
          const from = Math.max(starts[n - 1] ?? 0, (ends[n - 1] ?? 0) - PART);
          sets.add(junctionBucket(hashCodes(ofJunction, codes, from, (starts[n] ?? 0) + 1)), position);
        }
        eachToken(count, length, (from, to) => countHash(hashCodes(ofWord, codes, from, to)));
        eachPhrase(count, length, (_from, _to, hash) => {
          countHash(hash);
          return true;
        });
      }),
    *sets() {
      yield* buckets(0, JUNCTION_BUCKETS);
      for (const { text, set } of grams.all()) yield { kind: 'gram', value: text, ...sets.stored(set) };
      restart(PART_BUCKETS);
    },
  };
  const collectWords: Pass = {
    add: (position, text) =>
      visit(position, text, (count, length) =>
        eachToken(count, length, (from, to) => addToken(position, from, to)),
      ),
    *sets() {
      yield* buckets(JUNCTION_BUCKETS, PART_BUCKETS);
      for (const { text, set } of words.all()) yield { kind: 'word', value: text, ...sets.stored(set) };
      for (const { text, set } of parts.all()) yield { kind: 'part', value: text, ...sets.stored(set) };
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
  restart(JUNCTION_BUCKETS);
  return { passes: [count, collectWords, collectPhrases], free: sets.free };
}

/** Writes the UTF-16 codes of a string. Native code is several times as fast as a loop. */
function toCodes(text: string, codes: Uint16Array): void {
  const bytes = Buffer.from(codes.buffer, 0, 2 * text.length);
  bytes.write(text, 'utf16le');
  if (endianness() === 'BE') bytes.swap16();
}
