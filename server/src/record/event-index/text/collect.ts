import { endianness } from 'node:os';
import { addPosition, emptyBitmap } from '../bitmap.ts';
import { hashCodes, JUNCTION_BUCKETS, junctionBucket, PART_BUCKETS, partBucket, startHash } from './hash.ts';
import { makeSets, type StoredSet, toStored } from './sets.ts';
import { findEndQuote, findPhraseStart, findWords, isSurrogate, PART_LENGTH } from './split.ts';
import { MAX_TERM_LENGTH, makeTerms } from './terms.ts';

/**
 * The kinds of sets of the text index, named after what the events in a set have in common. A `gram` is a run of 1 or 2 characters.
 * A `word` is a frequent word, or a frequent separator of 3 characters or more. A `part` is 3 characters of a rare word. A `phrase`
 * is a frequent run of words and the separators around it. A `bucket` is a hash of a junction, or of a part without a set. The set
 * `whole` contains the events whose text is not indexed.
 */
export type Kind = 'gram' | 'word' | 'part' | 'phrase' | 'bucket' | 'whole';

/** The events of a chunk that have a value. `positions` is encoded as in bitmap.ts. */
export type TextSet = StoredSet & { kind: Kind; value: string };

/**
 * Words and phrases that occur less often in a chunk count as rare, because checking their events is cheaper than reading one more
 * set.
 */
const MIN_FREQUENT_COUNT = 32;
const MAX_PHRASE_WORDS = 6;
/** Phrases of more than this many words are not stored with the beginning of the next word. */
const MAX_OPEN_WORDS = 2;
/** These limits bound memory use, because each set takes 3 kB, regardless of what the events contain. */
const [MAX_GRAMS, MAX_WORDS, MAX_PARTS, MAX_PHRASES] = [4_096, 4_096, 6_144, 8_192];
/** These limits bound the time per chunk. An event beyond them is not indexed, so searches check the event itself. */
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_TOTAL_LENGTH = 128_000_000;

const COUNTER_COUNT = 1 << 22;
const MAX_COUNT = 255;

/** One pass over all texts of a chunk, which yields the sets of some kinds. */
export type CollectorPass = {
  add: (position: number, text: string) => void;
  sets: () => Generator<TextSet>;
};

/**
 * Collects the sets of a chunk in three passes over its texts, which use the same memory. The first pass finds runs of characters
 * and junctions, and counts words and phrases. The second pass collects the frequent words and the parts of the rare words, and the
 * third pass collects phrases.
 */
export function makeCollector(key: number) {
  const sets = makeSets(
    Math.max(JUNCTION_BUCKETS + MAX_GRAMS, PART_BUCKETS + MAX_WORDS + MAX_PARTS, MAX_PHRASES),
  );
  const counters = new Uint8Array(COUNTER_COUNT);
  const codes = new Uint16Array(MAX_TEXT_LENGTH);
  const [starts, ends] = [new Uint32Array(MAX_TEXT_LENGTH / 2), new Uint32Array(MAX_TEXT_LENGTH / 2)];
  const unindexedEvents = emptyBitmap();
  const [gramHash, wordHash, phraseHash] = [
    startHash(key, 'gram'),
    startHash(key, 'word'),
    startHash(key, 'phrase'),
  ];
  const [partHash, junctionHash] = [startHash(key, 'part'), startHash(key, 'junction')];
  const [grams, words] = [makeTerms(MAX_GRAMS, sets), makeTerms(MAX_WORDS, sets)];
  const [parts, phrases] = [makeTerms(MAX_PARTS, sets), makeTerms(MAX_PHRASES, sets)];
  let totalLength = 0;

  const getCounterIndex = (hash: number): number => (hash >>> 0) % COUNTER_COUNT;
  const countHash = (hash: number): void => {
    const counter = getCounterIndex(hash);
    if ((counters[counter] ?? 0) < MAX_COUNT) counters[counter] = (counters[counter] ?? 0) + 1;
  };
  const isFrequent = (hash: number): boolean => (counters[getCounterIndex(hash)] ?? 0) >= MIN_FREQUENT_COUNT;
  const addGram = (position: number, from: number, to: number): boolean =>
    grams.add(position, hashCodes(gramHash, codes, from, to), codes, from, to);
  /** Returns false if there is no room for a run of 1 or 2 characters. */
  const addGrams = (position: number, length: number): boolean => {
    for (let previous = 0, start = 0; start < length; ) {
      const end = start + (isSurrogate(codes[start] ?? 0) ? 2 : 1);
      if (!addGram(position, start, end) || !addGram(position, previous, end)) return false;
      previous = start;
      start = end;
    }
    return true;
  };
  /**
   * Adds a part to a separate set, or to a bucket if there is no room or if the part has a surrogate, because half of a surrogate
   * pair cannot be stored as text.
   */
  const addPart = (position: number, from: number): void => {
    const hash = hashCodes(partHash, codes, from, from + PART_LENGTH);
    const isStorable =
      !isSurrogate(codes[from] ?? 0) &&
      !isSurrogate(codes[from + 1] ?? 0) &&
      !isSurrogate(codes[from + 2] ?? 0);
    if (!isStorable || !parts.add(position, hash, codes, from, from + PART_LENGTH))
      sets.add(partBucket(hash) - JUNCTION_BUCKETS, position);
  };

  /** Visits the words, and the separators that a search for a string without words can use. */
  const forEachToken = (
    count: number,
    length: number,
    callback: (from: number, to: number) => void,
  ): void => {
    for (let n = 0; n <= count; n++) {
      const [from, to] = [n === 0 ? 0 : (ends[n - 1] ?? 0), n === count ? length : (starts[n] ?? 0)];
      if (to - from >= PART_LENGTH) callback(from, to);
      if (n < count) callback(starts[n] ?? 0, ends[n] ?? 0);
    }
  };
  /**
   * Visits the runs of words in one JSON string, or in a member name and its value, together with the separators around them. Short
   * runs are visited again with the first character of the next word, because people type `checkout-v` before `checkout-v2`. If the
   * callback returns false, longer runs are skipped, because they cannot be more frequent.
   */
  const forEachPhrase = (
    count: number,
    length: number,
    callback: (from: number, to: number, hash: number) => boolean,
  ): void => {
    for (let first = 0; first < count; first++) {
      const from = findPhraseStart(codes, first === 0 ? 0 : (ends[first - 1] ?? 0), starts[first] ?? 0);
      let [hashedTo, hash] = [from, phraseHash];
      for (let n = first; n < count && n < first + MAX_PHRASE_WORDS; n++) {
        const next = n + 1 === count ? length : (starts[n + 1] ?? 0);
        const quote = findEndQuote(codes, ends[n] ?? 0, next);
        const to = Math.min(quote + 1, next);
        if (to - from > MAX_TERM_LENGTH) break;
        hash = hashCodes(hash, codes, hashedTo, to);
        if (!callback(from, to, hash) || quote < next) break;
        if (n < first + MAX_OPEN_WORDS && to < length && !isSurrogate(codes[to] ?? 0))
          callback(from, to + 1, hashCodes(hash, codes, to, to + 1));
        hashedTo = to;
      }
    }
  };
  const addToken = (position: number, from: number, to: number): void => {
    const hash = hashCodes(wordHash, codes, from, to);
    if (to - from <= MAX_TERM_LENGTH && isFrequent(hash) && words.add(position, hash, codes, from, to))
      return;
    for (let start = from; start + PART_LENGTH <= to; start++) addPart(position, start);
  };
  /** Empties the sets for the next pass and reserves the first ones for its buckets. */
  const restart = (reservedSets: number): void => {
    sets.clear(reservedSets);
    totalLength = 0;
  };
  const visit = (position: number, text: string, callback: (count: number, length: number) => void): void => {
    totalLength += text.length;
    if (text.length > MAX_TEXT_LENGTH || totalLength > MAX_TOTAL_LENGTH) {
      addPosition(unindexedEvents, position);
      return;
    }
    toCodes(text, codes);
    callback(findWords(codes, text.length, starts, ends), text.length);
  };
  function* bucketSets(first: number, count: number): Generator<TextSet> {
    for (let n = 0; n < count; n++) {
      const set = sets.encode(n);
      if (set.count > 0) yield { kind: 'bucket', value: String(first + n), ...set };
    }
  }
  const collectGrams: CollectorPass = {
    add: (position, text) =>
      visit(position, text, (count, length) => {
        if (!addGrams(position, length)) addPosition(unindexedEvents, position);
        for (let n = 1; n < count; n++) {
          const from = Math.max(starts[n - 1] ?? 0, (ends[n - 1] ?? 0) - PART_LENGTH);
          sets.add(junctionBucket(hashCodes(junctionHash, codes, from, (starts[n] ?? 0) + 1)), position);
        }
        forEachToken(count, length, (from, to) => countHash(hashCodes(wordHash, codes, from, to)));
        forEachPhrase(count, length, (_from, _to, hash) => {
          countHash(hash);
          return true;
        });
      }),
    *sets() {
      yield* bucketSets(0, JUNCTION_BUCKETS);
      for (const { text, set } of grams.all()) yield { kind: 'gram', value: text, ...sets.encode(set) };
      restart(PART_BUCKETS);
    },
  };
  const collectWords: CollectorPass = {
    add: (position, text) =>
      visit(position, text, (count, length) =>
        forEachToken(count, length, (from, to) => addToken(position, from, to)),
      ),
    *sets() {
      yield* bucketSets(JUNCTION_BUCKETS, PART_BUCKETS);
      for (const { text, set } of words.all()) yield { kind: 'word', value: text, ...sets.encode(set) };
      for (const { text, set } of parts.all()) yield { kind: 'part', value: text, ...sets.encode(set) };
      restart(0);
    },
  };
  const collectPhrases: CollectorPass = {
    add: (position, text) =>
      visit(position, text, (count, length) =>
        forEachPhrase(count, length, (from, to, hash) => {
          if (!isFrequent(hash)) return false;
          phrases.add(position, hash, codes, from, to);
          return true;
        }),
      ),
    *sets() {
      for (const { text, set } of phrases.all()) {
        const storedSet = sets.encode(set);
        if (storedSet.count >= MIN_FREQUENT_COUNT) yield { kind: 'phrase', value: text, ...storedSet };
      }
      const storedSet = toStored(unindexedEvents);
      if (storedSet.count > 0) yield { kind: 'whole', value: '', ...storedSet };
    },
  };
  restart(JUNCTION_BUCKETS);
  return { passes: [collectGrams, collectWords, collectPhrases], free: sets.free };
}

/** Writes the UTF-16 codes of a string. Native code is several times as fast as a loop. */
function toCodes(text: string, codes: Uint16Array): void {
  const bytes = Buffer.from(codes.buffer, 0, 2 * text.length);
  bytes.write(text, 'utf16le');
  if (endianness() === 'BE') bytes.swap16();
}
