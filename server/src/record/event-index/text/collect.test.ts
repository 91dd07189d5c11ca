import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addStored, CHUNK_SIZE, emptyBitmap, highestPositions } from '../bitmap.ts';
import { makeCollector } from './collect.ts';
import type { TextDimension } from './posting.ts';
import { beginningsOf, gramsOf, isInString, pairBucket, splitText } from './split.ts';
import { wholeWord } from './words.ts';

type Sets = Map<string, number[]>;

/** The sets of each dimension by value, with their positions in rising order. */
function collect(texts: string[]): Record<TextDimension, Sets> {
  const collector = makeCollector();
  for (const [n, text] of texts.entries()) collector.add(positionOf(n), text);
  const sets = {
    gram: new Map(),
    word: new Map(),
    separator: new Map(),
    rare: new Map(),
    pair: new Map(),
    phrase: new Map(),
    long: new Map(),
  };
  for (const { dimension, value, count, positions } of collector.postings()) {
    const bitmap = emptyBitmap();
    addStored(bitmap, positions);
    const list = highestPositions(bitmap, CHUNK_SIZE, 0, CHUNK_SIZE).reverse();
    if (list.length !== count || sets[dimension].has(value))
      throw new Error(`Wrong count or twice: ${value}`);
    sets[dimension].set(value, list);
  }
  return sets;
}

const positionOf = (n: number): number => 7 + 11 * n;

/** The sets of everything that the texts have. */
function setsOf(texts: string[], valuesOf: (text: string) => string[]): Sets {
  const sets: Sets = new Map();
  for (const [n, text] of texts.entries()) {
    for (const value of new Set(valuesOf(text))) sets.set(value, [...(sets.get(value) ?? []), positionOf(n)]);
  }
  return sets;
}

const sorted = (sets: Sets) => [...sets].toSorted(([a], [b]) => (a < b ? -1 : 1));

const WORDS = [
  'a',
  'to',
  'rollout',
  'checkout',
  'straße',
  '日本語',
  '🚀',
  '🚀x',
  'x🚀🚀',
  'v2',
  'y'.repeat(201),
];
const SEPARATORS = [' ', '-', '_', ': ', ' \\"', '"', '", "', '": "', '\\n', '}, {"', '-'.repeat(201)];

/** JSON texts of some hundred events: frequent words, and words and numbers that few events have. */
const texts = fc
  .array(
    fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...WORDS) },
          fc.integer({ min: 0, max: 99_999 }).map(String),
          fc.string({ unit: 'grapheme', maxLength: 4 }).map(text => text.toLowerCase()),
        ),
        fc.constantFrom(...SEPARATORS),
      ),
      { maxLength: 12 },
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map(events =>
    events.map((pieces, n) => {
      const data = {
        name: pieces.flat().join(''),
        weight: n % 3,
        on: n % 2 === 0,
        [`key${n % 7}`]: pieces.map(([word]) => word),
      };
      return n % 5 === 0
        ? `\n${JSON.stringify({ on: true })}\n[]`
        : `${JSON.stringify(data).replaceAll('":', '": ').replaceAll('","', '", "')}\n\n[]`;
    }),
  )
  .map(events => Array.from({ length: 400 }, (_, n) => events[(n * n) % events.length] ?? ''));

test('collects exactly the runs of characters, words and pairs that events have', () => {
  fc.assert(
    fc.property(texts, texts => {
      const { gram, word, separator, rare, pair, long } = collect(texts);
      const words = setsOf(texts, text => splitText(text).words);
      const isFrequent = (value: string) => (words.get(value)?.length ?? 0) >= 16 && value.length <= 200;

      expect(sorted(gram)).toEqual(sorted(setsOf(texts, text => [...gramsOf(text, 1), ...gramsOf(text, 2)])));
      expect(sorted(word)).toEqual(sorted(words).filter(([value]) => isFrequent(value)));
      const rareOf = (value: string) => [
        ...gramsOf(value, 3),
        ...([...value].length <= 3 ? [wholeWord(value)] : []),
      ];
      const separators = setsOf(texts, text =>
        splitText(text).separators.filter(({ length }) => length >= 3),
      );
      const isFrequentSeparator = (value: string) =>
        (separators.get(value)?.length ?? 0) >= 16 && value.length <= 200;
      expect(sorted(separator)).toEqual(sorted(separators).filter(([value]) => isFrequentSeparator(value)));
      expect(sorted(rare)).toEqual(
        sorted(
          setsOf(texts, text => {
            const split = splitText(text);
            const rareSeparators = split.separators.filter(value => !isFrequentSeparator(value));
            return [
              ...split.words.filter(value => !isFrequent(value)).flatMap(rareOf),
              ...rareSeparators.flatMap(value => gramsOf(value, 3)),
            ];
          }),
        ),
      );
      expect(sorted(pair)).toEqual(sorted(setsOf(texts, text => bucketsOf(text, isFrequent))));
      expect(long.size).toBe(0);
    }),
    { numRuns: 10 },
  );
});

function bucketsOf(text: string, isFrequent: (word: string) => boolean): string[] {
  const { words, separators } = splitText(text);
  return words.slice(1).flatMap((next, n) => {
    const [word, separator] = [words[n] ?? '', separators[n + 1] ?? ''];
    if (!isFrequent(word)) return [];
    const ends = isInString(separator) ? beginningsOf(next, separator) : [];
    return [...ends, ...(isFrequent(next) ? [next] : [])].map(end => pairBucket(word + separator + end));
  });
}

test('collects phrases of at least 64 events, and only events that contain them', () => {
  fc.assert(
    fc.property(texts, texts => {
      const wrong = [...collect(texts).phrase].filter(
        ([phrase, positions]) =>
          positions.length < 64 || !positions.every(position => texts[(position - 7) / 11]?.includes(phrase)),
      );
      expect(wrong).toEqual([]);
    }),
    { numRuns: 10 },
  );
});

test('collects members, names with the beginning of the next word, and sentences as phrases', () => {
  const texts = Array.from(
    { length: 200 },
    (_, n) =>
      `{"on": true, "name": "checkout-v${n}", "text": "rolled out to everyone", "tags": ["a b"]}\n\n[]`,
  );

  const phrases = [...collect(texts).phrase]
    .filter(([, { length }]) => length === 200)
    .map(([phrase]) => phrase);

  expect(phrases).toEqual(
    expect.arrayContaining([
      '"on": true',
      '"name": ',
      '"a b"',
      '"tags"',
      'checkout-v',
      'rolled out to everyone',
      'out to e',
    ]),
  );
});

test('leaves out a text with a word that is too long', () => {
  const { long, word } = collect([...Array(20).fill('"short"'), `"${'x'.repeat(40_000)}"`]);

  expect(sorted(long)).toEqual([['', [positionOf(20)]]]);
  expect([...word.keys()]).toEqual(['short']);
});

test('collects a large text in slices, with every run of characters, word and pair', () => {
  const words = Array.from({ length: 6_000 }, (_, n) => `${WORDS[n % 9]}${n % 700}${SEPARATORS[n % 11]}`);
  const large = words.join('').toLowerCase();
  const many = Array<string>(20).fill(large);

  const { long, word, gram, pair } = collect(many);

  const all = many.map((_, n) => positionOf(n));
  expect(long.size).toBe(0);
  expect(sorted(gram)).toEqual(sorted(setsOf(many, text => [...gramsOf(text, 1), ...gramsOf(text, 2)])));
  const split = splitText(large);
  expect(new Set(word.keys())).toEqual(new Set(split.words.filter(text => text.length <= 200)));
  for (const [n, next] of split.words.slice(1).entries()) {
    const bucket = pairBucket(`${split.words[n]}${split.separators[n + 1]}${next}`);
    if ((split.words[n]?.length ?? 0) <= 200 && next.length <= 200) expect(pair.get(bucket)).toEqual(all);
  }
});
