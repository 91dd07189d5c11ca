import type { Reader } from '../../../platform/db/database.ts';
import { beginningsOf, gramsOf, isInString, pairBucket, splitText } from './split.ts';
import { listTerms, type TextTerm } from './store.ts';
import { wholeWord } from './words.ts';

/** Events with one of the terms, or with all runs of characters of one of the lists in words or separators that are not frequent. */
export type Condition = { terms: TextTerm[]; rare: string[][] };

/**
 * How to find a text: events with a `sure` term contain it. Every other event that contains it meets all conditions of `maybe`.
 * Without conditions, every event that contains the text has a sure term.
 */
export type TextPlan = { sure: TextTerm[]; maybe: Condition[] };

/** Longer terms are never stored. */
const MAX_PHRASE_LENGTH = 200;
/** Bounds of the work for one search. Fewer phrases or conditions mean more events to check, never a wrong result. */
const MAX_PHRASES_READ = 2_000;
const MAX_PHRASES = 100;
const MAX_WORDS = 200;
const MAX_PAIRS = 200;
const MAX_PAIR_CONDITIONS = 4;
const MAX_WORD_CONDITIONS = 4;
const MAX_RARE_GRAMS = 16;
/** No bound of results: the words or separators that contain a text must be complete. */
const ALL_TERMS = 1_000_000;

const termsOf = (dimension: TextTerm['dimension'], values: string[]): TextTerm[] =>
  values.map(value => ({ dimension, value }));

/** Plans the search for a folded text that is not empty. */
export async function planText(db: Reader, text: string): Promise<TextPlan> {
  if (lengthOf(text) <= 2) return { sure: termsOf('gram', [text]), maybe: [] };
  const { words, separators } = splitText(text);
  // Without a separator, the text is inside of a word. Without a word, it is inside of a separator.
  if (words[0] === text || words.length === 0) {
    const dimension = words.length === 0 ? 'separator' : 'word';
    const sure = termsOf(dimension, await listTerms(db, dimension, text, 'anywhere', ALL_TERMS));
    if (lengthOf(text) === 3) return { sure: [...sure, { dimension: 'rare', value: text }], maybe: [] };
    return { sure, maybe: [{ terms: [], rare: [rareOf(text)] }] };
  }
  return {
    sure: termsOf('phrase', await phrasesWith(db, text)),
    maybe: await conditionsOf(db, words, separators),
  };
}

const lengthOf = (text: string): number => [...text].length;

/** The runs of characters that a word or separator with this part has, if it is not frequent. */
const rareOf = (part: string): string[] => [...new Set(gramsOf(part, 3))].slice(0, MAX_RARE_GRAMS);

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

/** A word of the text as it may be in an event: one of the frequent `words`, or a word with the `rare` runs of characters. */
type Piece = { words: string[]; rare: string[] };

/** An event with the text must have: the pairs of words, the words, and the characters at both ends. The longest first. */
async function conditionsOf(db: Reader, words: string[], separators: string[]): Promise<Condition[]> {
  const first = separators[0] === '' ? await openPiece(db, words[0] ?? '', 'end') : undefined;
  const isOpenAtEnd = separators.at(-1) === '' && (words.length > 1 || separators[0] !== '');
  const last = isOpenAtEnd ? await openPiece(db, words.at(-1) ?? '', 'beginning') : undefined;
  const pieceAt = (n: number): Piece | undefined => {
    if (n === 0 && separators[0] === '') return first;
    if (n === words.length - 1 && isOpenAtEnd) return last;
    return closedPiece(words[n] ?? '');
  };
  const lengthAt = (n: number): number => words[n]?.length ?? 0;
  const all = [...words.keys()];
  const pairs = all
    .slice(1)
    .toSorted((a, b) => lengthAt(b - 1) + lengthAt(b) - lengthAt(a - 1) - lengthAt(a));
  const longest = all.toSorted((a, b) => lengthAt(b) - lengthAt(a));
  const end = words.length - 1;
  const isShortAtEnd = isOpenAtEnd && end > 0 && lengthOf(words[end] ?? '') < 3;
  return [
    ...(isShortAtEnd ? beginningCondition(pieceAt(end - 1), separators[end] ?? '', words[end] ?? '') : []),
    ...pairs
      .slice(0, MAX_PAIR_CONDITIONS)
      .flatMap(n => pairCondition(pieceAt(n - 1), separators[n] ?? '', pieceAt(n))),
    ...longest.slice(0, MAX_WORD_CONDITIONS).flatMap(n => wordCondition(pieceAt(n))),
    ...endsOf(words, separators).map(gram => ({ terms: termsOf('gram', [gram]), rare: [] })),
  ];
}

/** The first or last word of a text may be the end or the beginning of a longer word. Undefined if there are too many of them. */
async function openPiece(db: Reader, word: string, where: 'beginning' | 'end'): Promise<Piece | undefined> {
  if (lengthOf(word) < 3) return undefined;
  const words = await listTerms(db, 'word', word, where, MAX_WORDS + 1);
  return words.length > MAX_WORDS ? undefined : { words, rare: rareOf(word) };
}

const closedPiece = (word: string): Piece => ({
  words: [word],
  rare: lengthOf(word) <= 3 ? [wholeWord(word)] : rareOf(word),
});

/** A short beginning of a word after another word. Only inside of a JSON string are these in the index. */
function beginningCondition(left: Piece | undefined, separator: string, beginning: string): Condition[] {
  if (!left || left.words.length > MAX_PAIRS || !isInString(separator)) return [];
  const stored = beginningsOf(beginning, separator).at(-1) ?? '';
  const buckets = left.words.map(word => pairBucket(word + separator + stored));
  return [{ terms: termsOf('pair', [...new Set(buckets)]), rare: [left.rare] }];
}

function pairCondition(left: Piece | undefined, separator: string, right: Piece | undefined): Condition[] {
  if (!left || !right || left.words.length * right.words.length > MAX_PAIRS) return [];
  // A side that is never a frequent word: its own condition says more than that of the pair.
  if (left.words.length * right.words.length === 0) return [];
  const buckets = left.words.flatMap(a => right.words.map(b => pairBucket(a + separator + b)));
  return [{ terms: termsOf('pair', [...new Set(buckets)]), rare: [left.rare, right.rare] }];
}

const wordCondition = (piece: Piece | undefined): Condition[] =>
  piece ? [{ terms: termsOf('word', piece.words), rare: [piece.rare] }] : [];

/** The first and the last runs of 2 characters. */
function endsOf(words: string[], separators: string[]): string[] {
  const text = separators.map((separator, n) => separator + (words[n] ?? '')).join('');
  const grams = gramsOf(text, 2);
  return [...new Set([...grams.slice(0, 2), ...grams.slice(-2)])];
}
