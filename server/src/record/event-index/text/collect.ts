import { endianness } from 'node:os';
import { addPosition, emptyBitmap } from '../bitmap.ts';
import { makeAsciiGrams, wideGrams } from './grams.ts';
import { MAX_SMALL_LENGTH } from './large.ts';
import { makeMembers } from './members.ts';
import { collectPairs, makeBeginnings } from './pairs.ts';
import { phrasesOf } from './phrases.ts';
import { toStored } from './position-sets.ts';
import type { Phrase, TextPosting } from './posting.ts';
import { separatorPostings } from './separators.ts';
import { slicesOf } from './slices.ts';
import { makeTokens } from './tokens.ts';
import { frequentOf, rareGrams, wordPostings } from './words.ts';

/** A large text is added in slices of this length, because the bounds of memory are checked between texts. */
const MAX_SLICE_LENGTH = MAX_SMALL_LENGTH;
/** Bounds of the time that a chunk takes. A large text beyond them is not indexed: a search checks it. */
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_LARGE_LENGTH = 128_000_000;
/** Large texts take at most this share of the memory, so that they never displace the others. */
const LARGE_SHARE = 0.5;

/** Collects the postings of a chunk. `add` must be called with rising positions. */
export function makeCollector() {
  const grams = makeAsciiGrams();
  const tokens = makeTokens();
  const members = makeMembers();
  const codes = new Uint16Array(MAX_TEXT_LENGTH);
  const long = emptyBitmap();
  const large = new Set<number>();
  let largeLength = 0;

  const addLarge = (position: number, text: string): boolean => {
    largeLength += text.length;
    if (text.length > MAX_TEXT_LENGTH || largeLength > MAX_LARGE_LENGTH) return false;
    large.add(position);
    toCodes(text, codes);
    for (const slice of slicesOf(codes.subarray(0, text.length), MAX_SLICE_LENGTH)) {
      if (!slice || tokens.isFull(LARGE_SHARE)) return false;
      grams.add(position, slice, slice.length);
      tokens.add(position, slice, slice.length);
    }
    return true;
  };
  return {
    add: (position: number, text: string) => {
      if (text.length > MAX_SLICE_LENGTH) {
        if (!addLarge(position, text)) addPosition(long, position);
        return;
      }
      if (tokens.isFull()) {
        addPosition(long, position);
        return;
      }
      toCodes(text, codes);
      grams.add(position, codes, text.length);
      tokens.add(position, codes, text.length);
      members.add(position, codes, text.length);
    },
    *postings(): Generator<TextPosting> {
      const onFull = (position: number) => addPosition(long, position);
      const shareOf = (position: number) => (large.has(position) ? LARGE_SHARE : 1);
      yield* grams.postings();
      yield* wideGrams(tokens, shareOf, onFull);
      const isFrequent = frequentOf(tokens.words, tokens.counts.countOf);
      const eachWord = (call: (position: number, word: number) => void) =>
        tokens.eachWord((position, at) => call(position, tokens.wordAt(at)));
      yield* wordPostings(tokens, isFrequent);
      yield* rareGrams(tokens.words, eachWord, isFrequent, shareOf, onFull);
      yield* separatorPostings(tokens, shareOf, onFull);
      const beginnings = makeBeginnings(tokens);
      const pairs = collectPairs(tokens, isFrequent, beginnings);
      yield* pairs.buckets();
      const phrases = distinct([...phrasesOf(tokens, isFrequent, pairs, beginnings), ...members.phrases()]);
      for (const { text, count, positions } of phrases)
        yield { dimension: 'phrase', value: text, count, positions };
      const { count, positions } = toStored(long);
      if (count > 0) yield { dimension: 'long', value: '', count, positions };
    },
  };
}

/** Writes the UTF-16 codes of a text. Native code takes a fraction of the time of a loop. */
function toCodes(text: string, codes: Uint16Array): void {
  const bytes = Buffer.from(codes.buffer, 0, 2 * text.length);
  bytes.write(text, 'utf16le');
  if (endianness() === 'BE') bytes.swap16();
}

/** The phrases once each. The same text may be a run of words and a run with a beginning, which is in more events. */
function distinct(phrases: Phrase[]): Phrase[] {
  const byText = new Map<string, Phrase>();
  for (const phrase of phrases) {
    const other = byText.get(phrase.text);
    if (!other || other.count < phrase.count) byText.set(phrase.text, phrase);
  }
  return [...byText.values()];
}
