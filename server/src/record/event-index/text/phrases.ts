import type { Beginnings, Pairs } from './pairs.ts';
import { FREQUENT_PHRASE, MAX_TERM_LENGTH, type Phrase } from './posting.ts';
import type { Tokens } from './tokens.ts';
import { makeTriples, NO_ROOM, type Triples } from './triples.ts';

/** Two thirds of the phrases would end with the beginning of a word. */
const FREQUENT_BEGINNING = 128;
const MAX_PHRASE_WORDS = 6;

/**
 * Runs of frequent words: pairs, and longer runs inside of one JSON string. Inside of a string, words and pairs are noted with the
 * separators around them too, and runs with the beginning of the next word: a search may begin or end anywhere.
 *
 * A run has a number: that of the word, of the pair or of the longer run, in this order.
 */
export function* phrasesOf(
  tokens: Tokens,
  isFrequent: Uint8Array,
  { pairs, beginnings, startingAt }: Pairs,
  starts: Beginnings,
): Generator<Phrase> {
  const { words, separators } = tokens;
  const runs = makeTriples();
  const wide = makeTriples();
  const open = makeTriples();
  const [firstPair, firstRun] = [words.size(), words.size() + pairs.size()];

  const lengthOfPair = (pair: number): number => {
    const [word, separator, next] = pairs.keyOf(pair);
    return words.lengthOf(word) + separators.lengthOf(separator) + words.lengthOf(next);
  };
  const isFrequentPair = new Uint8Array(pairs.size());
  for (let pair = 0; pair < isFrequentPair.length; pair++) {
    if (pairs.countOf(pair) >= FREQUENT_PHRASE && lengthOfPair(pair) <= MAX_TERM_LENGTH)
      isFrequentPair[pair] = 1;
  }

  const noteAround = (run: number, position: number, at: number, count: number, last: number) => {
    const [before, after] = [tokens.separatorAt(at), tokens.separatorAt(at + count)];
    if (count <= 2 && (tokens.isInString(before) || tokens.isInString(after)))
      wide.note(run, before, after, position);
    if (count === 1 || at + count >= last) return;
    const next = tokens.wordAt(at + count);
    const most = starts.countAfter(after, next);
    for (let n = 1; n <= most; n++) open.note(run, after, starts.idOf(next, n), position);
  };
  tokens.eachWord((position, at, last) => {
    const word = tokens.wordAt(at);
    if (isFrequent[word] === 0) return;
    noteAround(word, position, at, 1, last);
    const pair = startingAt[at] ?? -1;
    if (pair < 0 || isFrequentPair[pair] === 0) return;
    noteAround(firstPair + pair, position, at, 2, last);
    for (let count = 3, run = pair; count <= MAX_PHRASE_WORDS; count++) {
      const next = startingAt[at + count - 2] ?? -1;
      if (next < 0 || isFrequentPair[next] === 0) return;
      const [left, right] = [tokens.separatorAt(at + count - 2), tokens.separatorAt(at + count - 1)];
      if (!tokens.isInString(left) || !tokens.isInString(right)) return;
      const longer = runs.note(run, next, 0, position);
      if (longer === NO_ROOM) return;
      run = pairs.size() + longer;
      noteAround(firstPair + run, position, at, count, last);
    }
  });

  const textOf = (run: number): string => {
    if (run < firstPair) return words.textOf(run);
    if (run < firstRun) {
      const [word, separator, next] = pairs.keyOf(run - firstPair);
      return words.textOf(word) + separators.textOf(separator) + words.textOf(next);
    }
    const [shorter, pair] = runs.keyOf(run - firstRun);
    const [, separator, next] = pairs.keyOf(pair);
    return textOf(firstPair + shorter) + separators.textOf(separator) + words.textOf(next);
  };
  const kinds: { of: Triples; minimum: number; textOf: (id: number) => string }[] = [
    { of: pairs, minimum: FREQUENT_PHRASE, textOf: id => textOf(firstPair + id) },
    { of: runs, minimum: FREQUENT_PHRASE, textOf: id => textOf(firstRun + id) },
    {
      of: wide,
      minimum: FREQUENT_PHRASE,
      textOf: id => {
        const [run, before, after] = wide.keyOf(id);
        return separators.textOf(before) + textOf(run) + separators.textOf(after);
      },
    },
    ...[beginnings, open].map(of => ({
      of,
      minimum: FREQUENT_BEGINNING,
      textOf: (id: number) => {
        const [run, separator, beginning] = of.keyOf(id);
        return textOf(run) + separators.textOf(separator) + starts.lexicon.textOf(beginning);
      },
    })),
  ];
  for (const { of, minimum, textOf } of kinds) {
    const isFrequent = (id: number) => of.countOf(id) >= minimum && textOf(id).length <= MAX_TERM_LENGTH;
    for (const { id, ...set } of of.stored(isFrequent)) yield { text: textOf(id), ...set };
  }
}
