import { makePositionSets } from './position-sets.ts';
import { MAX_TERM_LENGTH, type TextPosting } from './posting.ts';
import type { Tokens } from './tokens.ts';
import { makeTriples, NO_ROOM } from './triples.ts';

/** A posting of a word that is in fewer events takes more room than its runs of 3 characters. */
const FREQUENT_WORD = 16;

/** A word of up to 3 characters as a whole. */
export const wholeWord = (word: string): string => `=${word}`;

/** 1 for each frequent word. */
export function frequentWords({ words, counts }: Tokens): Uint8Array {
  const isFrequent = new Uint8Array(words.size());
  for (let word = 0; word < isFrequent.length; word++)
    if (counts.countOf(word) >= FREQUENT_WORD && words.lengthOf(word) <= MAX_TERM_LENGTH)
      isFrequent[word] = 1;
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

/** The runs of 3 characters of the words that are not frequent. */
export function* rareGrams(
  tokens: Tokens,
  isFrequent: Uint8Array,
  shareOf: (position: number) => number,
  onFull: (position: number) => void,
): Generator<TextPosting> {
  const { words } = tokens;
  const codes = words.codes();
  const grams = makeTriples();
  const noteWord = (position: number, word: number) => {
    const end = words.endOf(word);
    const share = shareOf(position);
    let [a, b, count] = [0, 0, 0];
    for (let at = words.startOf(word); at < end; at++) {
      let code = codes[at] ?? 0;
      // PostgreSQL stores no halves of surrogate pairs, so the second half follows.
      if (code >= 0xd800 && code < 0xdc00)
        code = ((code - 0xd800) << 10) + ((codes[++at] ?? 0xdc00) - 0xdc00) + 0x10000;
      if (++count > 2 && grams.note(a, b, code, position, share) === NO_ROOM) onFull(position);
      a = b;
      b = code;
    }
  };
  tokens.eachWord((position, at) => {
    const word = tokens.wordAt(at);
    if (isFrequent[word] === 0) noteWord(position, word);
  });
  for (const { id, count, positions } of grams.stored())
    yield { dimension: 'rare', value: String.fromCodePoint(...grams.keyOf(id)), count, positions };
}
