import type { Reader } from '../../../platform/db/database.ts';
import { hashCodes, junctionBucket, partBucket, startHash } from './hash.ts';
import { codesOf, isSurrogate, junctionOf, PART, splitText } from './split.ts';
import { listTerms, type TextIndex, type TextTerm } from './store.ts';
import { MAX_TERM_LENGTH } from './terms.ts';

/** Matches events that have one of the terms, or that have something from each list in `all`: the first of its terms that the chunk has. */
export type Condition = { terms: TextTerm[]; all: TextTerm[][] };

/**
 * How to find a string: events with a `sure` term contain it. Every other event that contains it meets all conditions of `maybe`.
 * Without conditions, every event that contains the text has a sure term.
 */
export type TextPlan = { sure: TextTerm[]; maybe: Condition[] };

/** These limit the work of a search. Fewer phrases or conditions mean more events to check, but never a wrong result. */
const MAX_PHRASES_READ = 2_000;
const MAX_PHRASES = 200;
const MAX_WORDS = 200;
const MAX_WORD_CONDITIONS = 4;
const MAX_IN_ALL = 16;
/** Practically no limit, because leaving out a word would lose results. */
const ALL_TERMS = 1_000_000;

const termsOf = (kind: TextTerm['kind'], values: string[]): TextTerm[] =>
  values.map(value => ({ kind, value }));

/** Plans the search for a folded text that is not empty. */
export async function planText(index: TextIndex, text: string): Promise<TextPlan> {
  if ([...text].length < PART) return { sure: termsOf('gram', [text]), maybe: [] };
  const { words, separators } = splitText(text);
  // A text without separators lies within a word, and one without words within a separator.
  if (words[0] === text || words.length === 0) {
    const within = termsOf('word', await listTerms(index.db, 'word', text, ALL_TERMS));
    const sure = text.length === PART ? [...within, ...termsOf('part', [text])] : within;
    return { sure, maybe: [{ terms: [], all: partsOf(index.key, text) }] };
  }
  return {
    sure: termsOf('phrase', await phrasesWith(index.db, text)),
    maybe: [
      ...junctions(index.key, words, separators),
      ...(await wordConditions(index, words, separators)),
      ...endsOf(text).map(gram => ({ terms: termsOf('gram', [gram]), all: [] })),
    ],
  };
}

/** The phrases that contain the text, except those that contain a shorter one of them. */
async function phrasesWith(db: Reader, text: string): Promise<string[]> {
  if (text.length > MAX_TERM_LENGTH) return [];
  const shortest: string[] = [];
  for (const phrase of await listTerms(db, 'phrase', text, MAX_PHRASES_READ)) {
    if (shortest.length === MAX_PHRASES) break;
    if (!shortest.some(shorter => phrase.includes(shorter))) shortest.push(phrase);
  }
  return shortest;
}

/** The first and the last 2 characters, which are all that can be looked up for a string such as `e": "f`. */
function endsOf(text: string): string[] {
  const characters = [...text];
  return [characters.slice(0, 2).join(''), characters.slice(-2).join('')];
}

const hashOf = (key: number, purpose: 'part' | 'junction', text: string): number =>
  hashCodes(startHash(key, purpose), codesOf(text), 0, text.length);

/** The parts that a rare word must have to contain the string. Each has either a separate set or a bucket. */
function partsOf(key: number, text: string): TextTerm[][] {
  const parts = Array.from({ length: text.length - PART + 1 }, (_, at) => text.slice(at, at + PART));
  return [...new Set(parts)]
    .slice(0, MAX_IN_ALL)
    .map(part => [
      ...(codesOf(part).some(isSurrogate) ? [] : termsOf('part', [part])),
      ...termsOf('bucket', [String(partBucket(hashOf(key, 'part', part)))]),
    ]);
}

/** Whether a word can be part of a longer word in an event, because nothing separates it from the start or end of the text. */
const isOpen = (words: string[], separators: string[], n: number): boolean =>
  (n === 0 && separators[0] === '') || (n === words.length - 1 && separators.at(-1) === '');

/** An event with the text has its junctions. One is unknown if its first word is short here and can be longer in the event. */
function junctions(key: number, words: string[], separators: string[]): Condition[] {
  const buckets = words.slice(1).flatMap((after, n) => {
    const before = words[n] ?? '';
    if (before.length < PART && isOpen(words, separators, n)) return [];
    return [
      String(junctionBucket(hashOf(key, 'junction', junctionOf(before, separators[n + 1] ?? '', after)))),
    ];
  });
  const all = [...new Set(buckets)].slice(0, MAX_IN_ALL).map(bucket => termsOf('bucket', [bucket]));
  return all.length === 0 ? [] : [{ terms: [], all }];
}

/** An event with the text has its words, each of them frequent or rare in its chunk. The longest come first. */
async function wordConditions(index: TextIndex, words: string[], separators: string[]): Promise<Condition[]> {
  const { db, key } = index;
  const conditions: Condition[] = [];
  const longest = [...words.keys()].toSorted((a, b) => (words[b]?.length ?? 0) - (words[a]?.length ?? 0));
  for (const n of longest.slice(0, MAX_WORD_CONDITIONS)) {
    const word = words[n] ?? '';
    // A shorter word hardly narrows the search further than its junctions do.
    if (word.length < PART) continue;
    const found = isOpen(words, separators, n) ? await listTerms(db, 'word', word, MAX_WORDS + 1) : [word];
    if (found.length <= MAX_WORDS)
      conditions.push({ terms: termsOf('word', found), all: partsOf(key, word) });
  }
  return conditions;
}
