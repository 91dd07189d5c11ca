import type { Reader } from '../../../platform/db/database.ts';
import { hashCodes, junctionBucket, partBucket, startHash } from './hash.ts';
import { buildJunction, getCodes, isSurrogate, PART_LENGTH, splitText } from './split.ts';
import { listTerms, type TextIndex, type TextTerm } from './store.ts';
import { MAX_TERM_LENGTH } from './terms.ts';

/** Matches events that have one of the terms or, for each list in `all`, the first of its terms that the chunk has. */
export type Condition = { terms: TextTerm[]; all: TextTerm[][] };

/**
 * How to find a string. Events with a `sure` term contain the string. Every other event that contains it meets all conditions of
 * `maybe`. Without conditions, every event that contains the text has a sure term.
 */
export type TextPlan = { sure: TextTerm[]; maybe: Condition[] };

/** These limits bound the work of a search. Fewer phrases or conditions mean more events to check, but never a wrong result. */
const MAX_PHRASES_READ = 2_000;
const MAX_PHRASES = 200;
const MAX_WORDS = 200;
const MAX_WORD_CONDITIONS = 4;
const MAX_TERM_LISTS = 16;
/** Practically no limit, because omitting a word would lose results. */
const NO_TERM_LIMIT = 1_000_000;

const toTerms = (kind: TextTerm['kind'], values: string[]): TextTerm[] =>
  values.map(value => ({ kind, value }));

/** Plans the search for a folded text that is not empty. */
export async function planText(index: TextIndex, text: string): Promise<TextPlan> {
  if ([...text].length < PART_LENGTH) return { sure: toTerms('gram', [text]), maybe: [] };
  const { words, separators } = splitText(text);
  // A text without separators is part of a word, and a text without words is part of a separator.
  if (words[0] === text || words.length === 0) {
    const wordTerms = toTerms('word', await listTerms(index.db, 'word', text, NO_TERM_LIMIT));
    const sure = text.length === PART_LENGTH ? [...wordTerms, ...toTerms('part', [text])] : wordTerms;
    return { sure, maybe: [{ terms: [], all: partTerms(index.key, text) }] };
  }
  return {
    sure: toTerms('phrase', await listPhrases(index.db, text)),
    maybe: [
      ...junctionConditions(index.key, words, separators),
      ...(await wordConditions(index, words, separators)),
      ...endGrams(text).map(gram => ({ terms: toTerms('gram', [gram]), all: [] })),
    ],
  };
}

/** Returns the phrases that contain the text, except those that contain a shorter such phrase. */
async function listPhrases(db: Reader, text: string): Promise<string[]> {
  if (text.length > MAX_TERM_LENGTH) return [];
  const shortestPhrases: string[] = [];
  for (const phrase of await listTerms(db, 'phrase', text, MAX_PHRASES_READ)) {
    if (shortestPhrases.length === MAX_PHRASES) break;
    if (!shortestPhrases.some(shorter => phrase.includes(shorter))) shortestPhrases.push(phrase);
  }
  return shortestPhrases;
}

/** Returns the first 2 and the last 2 characters, which are all that can be looked up for a string such as `e": "f`. */
function endGrams(text: string): string[] {
  const characters = [...text];
  return [characters.slice(0, 2).join(''), characters.slice(-2).join('')];
}

const computeHash = (key: number, purpose: 'part' | 'junction', text: string): number =>
  hashCodes(startHash(key, purpose), getCodes(text), 0, text.length);

/**
 * Returns one list of terms for each part that a rare word must have to contain the string: the separate set of the part, if any,
 * and then its bucket.
 */
function partTerms(key: number, text: string): TextTerm[][] {
  const parts = Array.from({ length: text.length - PART_LENGTH + 1 }, (_, start) =>
    text.slice(start, start + PART_LENGTH),
  );
  return [...new Set(parts)]
    .slice(0, MAX_TERM_LISTS)
    .map(part => [
      ...(getCodes(part).some(isSurrogate) ? [] : toTerms('part', [part])),
      ...toTerms('bucket', [String(partBucket(computeHash(key, 'part', part)))]),
    ]);
}

/**
 * Returns whether a word can be part of a longer word in an event, because nothing separates it from the start or end of the text.
 */
const isOpen = (words: string[], separators: string[], n: number): boolean =>
  (n === 0 && separators[0] === '') || (n === words.length - 1 && separators.at(-1) === '');

/**
 * Returns the conditions that follow from the junctions of the text, because an event with the text has its junctions. A junction
 * is unknown if its first word may be longer in the event.
 */
function junctionConditions(key: number, words: string[], separators: string[]): Condition[] {
  const buckets = words.slice(1).flatMap((nextWord, n) => {
    const word = words[n] ?? '';
    if (word.length < PART_LENGTH && isOpen(words, separators, n)) return [];
    return [
      String(
        junctionBucket(computeHash(key, 'junction', buildJunction(word, separators[n + 1] ?? '', nextWord))),
      ),
    ];
  });
  const all = [...new Set(buckets)].slice(0, MAX_TERM_LISTS).map(bucket => toTerms('bucket', [bucket]));
  return all.length === 0 ? [] : [{ terms: [], all }];
}

/**
 * Returns the conditions that follow from the words of the text. An event with the text has these words, each of which is frequent
 * or rare in its chunk. The longest words come first.
 */
async function wordConditions(index: TextIndex, words: string[], separators: string[]): Promise<Condition[]> {
  const { db, key } = index;
  const conditions: Condition[] = [];
  const longestFirst = [...words.keys()].toSorted(
    (a, b) => (words[b]?.length ?? 0) - (words[a]?.length ?? 0),
  );
  for (const n of longestFirst.slice(0, MAX_WORD_CONDITIONS)) {
    const word = words[n] ?? '';
    // A shorter word would hardly narrow the search more than its junctions do.
    if (word.length < PART_LENGTH) continue;
    const values = isOpen(words, separators, n) ? await listTerms(db, 'word', word, MAX_WORDS + 1) : [word];
    if (values.length <= MAX_WORDS)
      conditions.push({ terms: toTerms('word', values), all: partTerms(key, word) });
  }
  return conditions;
}
