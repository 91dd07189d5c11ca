import type { Reader } from '../../../platform/db/database.ts';
import { bucketOf, hashCodes, startHash } from './hash.ts';
import { codesOf, junctionOf, PART, splitText } from './split.ts';
import { listTerms, type TextIndex, type TextTerm } from './store.ts';

/** Events with one of the terms, or with all buckets of the list. */
export type Condition = { terms: TextTerm[]; buckets: string[] };

/**
 * How to find a text: events with a `sure` term contain it. Every other event that contains it meets all conditions of `maybe`.
 * Without conditions, every event that contains the text has a sure term.
 */
export type TextPlan = { sure: TextTerm[]; maybe: Condition[] };

/** Longer terms are never stored. */
const MAX_PHRASE_LENGTH = 200;
/** Bounds of the work for one search. Fewer phrases or conditions mean more events to check, never a wrong result. */
const MAX_PHRASES_READ = 2_000;
const MAX_PHRASES = 200;
const MAX_WORDS = 200;
const MAX_WORD_CONDITIONS = 4;
const MAX_BUCKETS = 16;
/** No bound of results: the words that contain a text must be complete. */
const ALL_TERMS = 1_000_000;

const termsOf = (kind: TextTerm['kind'], values: string[]): TextTerm[] =>
  values.map(value => ({ kind, value }));

/** Plans the search for a folded text that is not empty. */
export async function planText(index: TextIndex, text: string): Promise<TextPlan> {
  if ([...text].length < PART) return { sure: termsOf('gram', [text]), maybe: [] };
  const { words, separators } = splitText(text);
  // Without a separator, the text is inside of a word. Without a word, it is inside of a separator.
  if (words[0] === text || words.length === 0) {
    const sure = termsOf('word', await listTerms(index.db, 'word', text, 'anywhere', ALL_TERMS));
    return { sure, maybe: [{ terms: [], buckets: partsOf(index.key, text) }] };
  }
  return {
    sure: termsOf('phrase', await phrasesWith(index.db, text)),
    maybe: [
      ...junctions(index.key, words, separators),
      ...(await wordConditions(index, words, separators)),
      ...endsOf(text).map(gram => ({ terms: termsOf('gram', [gram]), buckets: [] })),
    ],
  };
}

/** The phrases that contain the text, without those that contain another of them. */
async function phrasesWith(db: Reader, text: string): Promise<string[]> {
  if (text.length > MAX_PHRASE_LENGTH) return [];
  const shortest: string[] = [];
  for (const phrase of await listTerms(db, 'phrase', text, 'anywhere', MAX_PHRASES_READ)) {
    if (shortest.length === MAX_PHRASES) break;
    if (!shortest.some(shorter => phrase.includes(shorter))) shortest.push(phrase);
  }
  return shortest;
}

/** The first and the last 2 characters: all that is known of a text such as `e": "f`. */
function endsOf(text: string): string[] {
  const characters = [...text];
  return [characters.slice(0, 2).join(''), characters.slice(-2).join('')];
}

const bucketFor = (key: number, purpose: 'part' | 'short' | 'junction', text: string): string =>
  String(bucketOf(hashCodes(startHash(key, purpose), codesOf(text), 0, text.length)));

/** The buckets of the parts that a rare word has if it contains the text. */
function partsOf(key: number, text: string): string[] {
  const parts = Array.from({ length: text.length - PART + 1 }, (_, at) => text.slice(at, at + PART));
  return [...new Set(parts.slice(0, MAX_BUCKETS).map(part => bucketFor(key, 'part', part)))];
}

/** The first and last word of a text may be a part of a longer word in an event. */
const isOpen = (words: string[], separators: string[], n: number): boolean =>
  (n === 0 && separators[0] === '') || (n === words.length - 1 && separators.at(-1) === '');

/** An event with the text has its junctions, except one whose first word may be longer in the event and is too short here. */
function junctions(key: number, words: string[], separators: string[]): Condition[] {
  const buckets = words.slice(1).flatMap((after, n) => {
    const before = words[n] ?? '';
    if (before.length < PART && isOpen(words, separators, n)) return [];
    return [bucketFor(key, 'junction', junctionOf(before, separators[n + 1] ?? '', after))];
  });
  return buckets.length === 0 ? [] : [{ terms: [], buckets: [...new Set(buckets)].slice(0, MAX_BUCKETS) }];
}

/** An event with the text has its words, each as a frequent or as a rare one. The longest come first. */
async function wordConditions(index: TextIndex, words: string[], separators: string[]): Promise<Condition[]> {
  const { db, key } = index;
  const conditions: Condition[] = [];
  const longest = [...words.keys()].toSorted((a, b) => (words[b]?.length ?? 0) - (words[a]?.length ?? 0));
  for (const n of longest.slice(0, MAX_WORD_CONDITIONS)) {
    const word = words[n] ?? '';
    if (!isOpen(words, separators, n)) {
      const buckets = word.length <= PART ? [bucketFor(key, 'short', word)] : partsOf(key, word);
      conditions.push({ terms: termsOf('word', [word]), buckets });
    } else if (word.length >= PART) {
      const where = n === 0 ? 'end' : 'beginning';
      const found = await listTerms(db, 'word', word, words.length === 1 ? 'anywhere' : where, MAX_WORDS + 1);
      if (found.length <= MAX_WORDS)
        conditions.push({ terms: termsOf('word', found), buckets: partsOf(key, word) });
    }
  }
  return conditions;
}
