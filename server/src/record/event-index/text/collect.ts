import { addPosition, type Entry, makeEntries, makeTripleEntries } from './entries.ts';
import { makeGrams } from './grams.ts';
import { pairBucket } from './split.ts';
import { makeTokens, type Tokens } from './tokens.ts';

/**
 * The dimensions of the text index:
 * `gram`: runs of 1 and 2 characters. `word`: frequent words. `phrase`: frequent texts with separators.
 * `rare`: runs of 3 characters in words that are not frequent, and such words of up to 3 characters after a `=`.
 * `pair`: buckets of two adjacent frequent words, and of a frequent word with the beginning of the next word of its JSON string.
 * `long`: events whose text is not indexed.
 */
export type TextDimension = 'gram' | 'word' | 'phrase' | 'rare' | 'pair' | 'long';

export type TextPosting = { dimension: TextDimension; value: string; positions: number[] };

/** A posting of a word that is in fewer events takes more room than its runs of 3 characters. */
const FREQUENT_WORD = 16;
/** Phrases in fewer events of a chunk are found by their words and checked. */
const FREQUENT_PHRASE = 64;
/** Two thirds of the phrases would end with the beginning of a word. */
const FREQUENT_BEGINNING = 128;
const MAX_PHRASE_WORDS = 6;
/** A B-tree of PostgreSQL takes values of up to 2,700 bytes. */
const MAX_TERM_LENGTH = 200;
/** A longer text is not indexed: a search checks it. It bounds the memory that a chunk takes. */
const MAX_TEXT_LENGTH = 32_768;

/** Collects the postings of a chunk. `add` must be called with rising positions. */
export function makeCollector() {
  const grams = makeGrams();
  const tokens = makeTokens();
  const long: number[] = [];
  return {
    add: (position: number, text: string) => {
      if (text.length > MAX_TEXT_LENGTH || tokens.isFull()) {
        long.push(position);
        return;
      }
      grams.add(position, text);
      tokens.add(position, text);
    },
    *postings(): Generator<TextPosting> {
      yield* toPostings('gram', grams.list);
      const isFrequent = tokens.words.map(isFrequentWord);
      yield* toPostings('word', tokens.words.filter(isFrequentWord));
      yield* toPostings('rare', rareGrams(tokens, isFrequent));
      const pairs = collectPairs(tokens, isFrequent);
      yield* toPostings('pair', pairs.buckets);
      const phrases = [...collectPhrases(tokens, isFrequent, pairs), ...tokens.members].filter(
        isFrequentPhrase,
      );
      yield* toPostings('phrase', distinct(phrases));
      if (long.length > 0) yield { dimension: 'long', value: '', positions: long };
    },
  };
}

const isFrequentWord = ({ text, positions }: Entry): boolean =>
  positions.length >= FREQUENT_WORD && text.length <= MAX_TERM_LENGTH;
const isFrequentPhrase = ({ text, positions }: Entry): boolean =>
  positions.length >= FREQUENT_PHRASE && text.length <= MAX_TERM_LENGTH;

const isFrequentBeginning = ({ positions }: Entry): boolean => positions.length >= FREQUENT_BEGINNING;

/** The phrases once each. The same text may be a run of words and a run with a beginning, which is in more events. */
function distinct(phrases: Entry[]): Entry[] {
  const byText = new Map<string, Entry>();
  for (const phrase of phrases) {
    const other = byText.get(phrase.text);
    if (!other || other.positions.length < phrase.positions.length) byText.set(phrase.text, phrase);
  }
  return [...byText.values()];
}

function* toPostings(dimension: TextDimension, entries: Entry[]): Generator<TextPosting> {
  for (const { text, positions } of entries) yield { dimension, value: text, positions };
}

/** A word of up to 3 characters as a whole. */
export const wholeWord = (word: string): string => `=${word}`;

function rareGrams(tokens: Tokens, isFrequent: boolean[]): Entry[] {
  const whole = makeEntries();
  const grams = makeTripleEntries();
  tokens.eachWord((position, token) => {
    const word = tokens.at(token);
    if (isFrequent[word]) return;
    const text = tokens.words[word]?.text ?? '';
    let [a, b, count] = [0, 0, 0];
    for (let at = 0; at < text.length; ) {
      const code = text.codePointAt(at) ?? 0;
      const [first, second] = [a, b];
      if (++count > 2) {
        addPosition(
          grams.get(first, second, code, () => String.fromCodePoint(first, second, code)),
          position,
        );
      }
      [a, b] = [b, code];
      at += code > 0xffff ? 2 : 1;
    }
    if (count <= 3) addPosition(whole.get(wholeWord(text)), position);
  });
  return [...whole.list, ...grams.list];
}

/**
 * Pairs of adjacent frequent words. `startingAt` has the number of the pair that begins at a token, or -1. `beginnings` are frequent
 * words with the beginning of the next word.
 */
type Pairs = { list: Entry[]; startingAt: Int32Array; beginnings: Entry[]; buckets: Entry[] };

function collectPairs(tokens: Tokens, isFrequent: boolean[]): Pairs {
  const pairs = makeTripleEntries();
  const beginnings = makeTripleEntries();
  const buckets = makeEntries();
  const startingAt = new Int32Array(tokens.size()).fill(-1);
  const add = (entry: Entry, position: number) => {
    if (entry.last === position) return;
    addPosition(entry, position);
    entry.bucket ??= buckets.get(pairBucket(entry.text));
    addPosition(entry.bucket, position);
  };
  tokens.eachWord((position, token, end) => {
    const word = tokens.at(token);
    if (token + 2 >= end || !isFrequent[word]) return;
    const next = tokens.at(token + 2);
    if (isFrequent[next]) {
      const pair = pairs.get(word, tokens.at(token + 1), next, () => tokens.textOf(token, 2));
      startingAt[token] = pair.id;
      add(pair, position);
    }
    if (!tokens.isInString(token + 1)) return;
    for (const { id, text } of tokens.beginningsAfter(token + 1)) {
      const textOf = () => tokens.textOf(token, 1) + tokens.separatorAt(token + 1) + text;
      add(beginnings.get(word, tokens.at(token + 1), id, textOf), position);
    }
  });
  return { list: pairs.list, startingAt, beginnings: beginnings.list, buckets: buckets.list };
}

/**
 * Runs of frequent words: pairs, and longer runs inside of one JSON string. Inside of a string, words and pairs are noted with the
 * separators around them too, and runs with the beginning of the next word: a search may begin or end anywhere.
 */
function collectPhrases(tokens: Tokens, isFrequent: boolean[], pairs: Pairs): Entry[] {
  const isFrequentPair = pairs.list.map(isFrequentPhrase);
  const runs = makeTripleEntries();
  const wide = makeTripleEntries();
  const open = makeTripleEntries();

  /** `run` is the number of a word, of a pair or of a longer run, in this order. */
  const addAround = (run: number, position: number, token: number, count: number) => {
    const before = token - 1;
    const after = token + 2 * count - 1;
    if (count <= 2 && (tokens.isInString(before) || tokens.isInString(after))) {
      const textOf = () =>
        tokens.separatorAt(before) + tokens.textOf(token, count) + tokens.separatorAt(after);
      addPosition(wide.get(run, tokens.at(before), tokens.at(after), textOf), position);
    }
    if (count === 1 || !tokens.isInString(after)) return;
    for (const { id, text } of tokens.beginningsAfter(after)) {
      const textOf = () => tokens.textOf(token, count) + tokens.separatorAt(after) + text;
      addPosition(open.get(run, tokens.at(after), id, textOf), position);
    }
  };
  tokens.eachWord((position, token) => {
    if (!isFrequent[tokens.at(token)]) return;
    addAround(tokens.at(token), position, token, 1);
    const pair = pairs.startingAt[token] ?? -1;
    if (pair < 0 || !isFrequentPair[pair]) return;
    addAround(tokens.words.length + pair, position, token, 2);
    for (let count = 3, run = pair; count <= MAX_PHRASE_WORDS; count++) {
      const last = token + 2 * (count - 2);
      const next = pairs.startingAt[last] ?? -1;
      if (next < 0 || !isFrequentPair[next]) return;
      if (!tokens.isInString(last - 1) || !tokens.isInString(last + 1)) return;
      const entry = runs.get(run, next, 0, () => tokens.textOf(token, count));
      addPosition(entry, position);
      run = pairs.list.length + entry.id;
      addAround(tokens.words.length + run, position, token, count);
    }
  });
  const beginnings = [...pairs.beginnings, ...open.list].filter(isFrequentBeginning);
  return [...pairs.list, ...runs.list, ...wide.list, ...beginnings];
}
