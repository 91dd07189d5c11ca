import type { Lexicon } from './lexicon.ts';
import { makePositionSets } from './position-sets.ts';
import { MAX_TERM_LENGTH, type TextPosting } from './posting.ts';
import type { Tokens } from './tokens.ts';
import { makeTriples, NO_ROOM } from './triples.ts';

/** A posting of a word that is in fewer events takes more room than its runs of 3 characters. */
const FREQUENT_WORD = 16;

/** A word of up to 3 characters as a whole. */
export const wholeWord = (word: string): string => `=${word}`;

/** 1 for each frequent word or separator. */
export function frequentOf(texts: Lexicon, countOf: (text: number) => number): Uint8Array {
  const isFrequent = new Uint8Array(texts.size());
  for (let text = 0; text < isFrequent.length; text++)
    if (countOf(text) >= FREQUENT_WORD && texts.lengthOf(text) <= MAX_TERM_LENGTH) isFrequent[text] = 1;
  return isFrequent;
}

/** The frequent words, and the other words of up to 3 characters. */
export function* wordPostings(tokens: Tokens, isFrequent: Uint8Array): Generator<TextPosting> {
  const { words, counts } = tokens;
  const isShort = (word: number) => words.lengthOf(word) <= 6 && [...words.textOf(word)].length <= 3;
  const sets = makePositionSets(
    counts.counts(),
    words.size(),
    word => isFrequent[word] === 1 || isShort(word),
  );
  tokens.eachWord((position, at) => sets.add(tokens.wordAt(at), position));
  for (let word = 0; word < words.size(); word++) {
    if (!sets.isChosen(word)) continue;
    const text = words.textOf(word);
    const set = { count: sets.countOf(word), positions: sets.stored(word) };
    if (isFrequent[word] === 1) yield { dimension: 'word', value: text, ...set };
    else yield { dimension: 'rare', value: wholeWord(text), ...set };
  }
}

/** The runs of 3 characters of the words or separators that are not frequent. `each` visits those of the events. */
export function* rareGrams(
  texts: Lexicon,
  each: (call: (position: number, text: number) => void) => void,
  isFrequent: Uint8Array,
  shareOf: (position: number) => number,
  onFull: (position: number) => void,
): Generator<TextPosting> {
  const codes = texts.codes();
  const grams = makeTriples();
  const noteGrams = (position: number, text: number) => {
    const end = texts.endOf(text);
    const share = shareOf(position);
    let [a, b, count] = [0, 0, 0];
    for (let at = texts.startOf(text); at < end; at++) {
      let code = codes[at] ?? 0;
      // PostgreSQL stores no halves of surrogate pairs, so the second half follows.
      if (code >= 0xd800 && code < 0xdc00)
        code = ((code - 0xd800) << 10) + ((codes[++at] ?? 0xdc00) - 0xdc00) + 0x10000;
      if (++count > 2 && grams.note(a, b, code, position, share) === NO_ROOM) onFull(position);
      a = b;
      b = code;
    }
  };
  each((position, text) => {
    if (isFrequent[text] === 0) noteGrams(position, text);
  });
  for (const { id, count, positions } of grams.stored())
    yield { dimension: 'rare', value: String.fromCodePoint(...grams.keyOf(id)), count, positions };
}
