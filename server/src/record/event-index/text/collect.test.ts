import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../../test/campaign.ts';
import { addStored, CHUNK_SIZE, emptyBitmap, highestPositions } from '../bitmap.ts';
import { type Kind, makeCollector, type TextSet } from './collect.ts';
import { hashCodes, junctionBucket, partBucket, startHash } from './hash.ts';
import { buildJunction, getCodes, isSurrogate, splitText } from './split.ts';

type Sets = Map<string, number[]>;

const RUNS = campaignSize({ usual: 2, long: 50 });
const KEY = 12_345;

/** Returns the sets of each kind by value, with their positions in ascending order. */
function collect(texts: string[], key = KEY): Record<Kind, Sets> {
  const collector = makeCollector(key);
  const sets = {
    gram: new Map(),
    word: new Map(),
    part: new Map(),
    phrase: new Map(),
    bucket: new Map(),
    whole: new Map(),
  };
  const read = (stored: Iterable<TextSet>) => {
    for (const { kind, value, count, positions } of stored) {
      const bitmap = emptyBitmap();
      addStored(bitmap, positions);
      const list = highestPositions(bitmap, CHUNK_SIZE, 0, CHUNK_SIZE).reverse();
      if (list.length !== count || sets[kind].has(value))
        throw new Error(`Wrong count or duplicate: ${value}`);
      sets[kind].set(value, list);
    }
  };
  for (const pass of collector.passes) {
    for (const [n, text] of texts.entries()) pass.add(toPosition(n), text);
    read(pass.sets());
  }
  return sets;
}

const toPosition = (n: number): number => 7 + 11 * n;

/** Computes, without the collector, which events contain each value. */
function computeSets(texts: string[], listValues: (text: string) => string[]): Sets {
  const sets: Sets = new Map();
  for (const [n, text] of texts.entries()) {
    for (const value of new Set(listValues(text)))
      sets.set(value, [...(sets.get(value) ?? []), toPosition(n)]);
  }
  return sets;
}

const sortSets = (sets: Sets) => [...sets].toSorted(([a], [b]) => (a < b ? -1 : 1));

const listRuns = (characters: string[] | string, size: number): string[] =>
  Array.from({ length: Math.max(0, characters.length - size + 1) }, (_, index) =>
    [...characters.slice(index, index + size)].join(''),
  );

const listTokens = (text: string): string[] => {
  const { words, separators } = splitText(text);
  return [...words, ...separators.filter(({ length }) => length >= 3)];
};

const computeHash = (purpose: Parameters<typeof startHash>[1], text: string): number =>
  hashCodes(startHash(KEY, purpose), getCodes(text), 0, text.length);

const hasSurrogate = (text: string): boolean => getCodes(text).some(isSurrogate);

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

/** The JSON of 400 events, with frequent words as well as words and numbers that few events contain. */
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

test('collects exactly the runs of 1 and 2 characters', () => {
  fc.assert(
    fc.property(texts, texts => {
      const { gram, whole } = collect(texts);

      expect(sortSets(gram)).toEqual(
        sortSets(computeSets(texts, text => [...listRuns([...text], 1), ...listRuns([...text], 2)])),
      );
      expect(whole.size).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

test('collects every word and separator: frequent ones whole, and the others in parts', () => {
  fc.assert(
    fc.property(texts, texts => {
      const { word, part, bucket } = collect(texts);
      const tokens = computeSets(texts, listTokens);
      for (const [token, positions] of tokens) {
        const stored = word.get(token);
        if (positions.length >= 32 && token.length <= 200) expect(stored).toEqual(positions);
        if (stored) expect(stored).toEqual(positions);
      }
      const listRareTokens = (text: string) => listTokens(text).filter(token => !word.has(token));
      const rareParts = (text: string) => listRareTokens(text).flatMap(token => listRuns(token.split(''), 3));
      const stored = computeSets(texts, text => rareParts(text).filter(run => !hasSurrogate(run)));
      const hashedSets = computeSets(texts, text => {
        const { words, separators } = splitText(text);
        const junctions = words
          .slice(1)
          .map((after, n) => buildJunction(words[n] ?? '', separators[n + 1] ?? '', after));
        return [
          ...rareParts(text)
            .filter(hasSurrogate)
            .map(run => String(partBucket(computeHash('part', run)))),
          ...junctions.map(junction => String(junctionBucket(computeHash('junction', junction)))),
        ];
      });
      expect(sortSets(part)).toEqual(sortSets(stored));
      expect(sortSets(bucket)).toEqual(sortSets(hashedSets));
    }),
    { numRuns: RUNS },
  );
});

test('stores parts of rare words in buckets when there is no room for more sets', () => {
  const generateWords = (n: number) =>
    [1, 2, 3, 4].map(m => (Math.imul(4 * n + m, 0x9e3779b1) >>> 0).toString(36));
  const texts = Array.from({ length: 2_000 }, (_, n) => generateWords(n).join(' '));

  const { part, bucket } = collect(texts);

  expect(part.size).toBe(6_144);
  const missingRuns = texts.flatMap((_, n) =>
    generateWords(n)
      .flatMap(word => listRuns(word, 3))
      .filter(run => {
        const stored = part.get(run) ?? bucket.get(String(partBucket(computeHash('part', run))));
        return !stored?.includes(toPosition(n));
      }),
  );
  expect(missingRuns).toEqual([]);
});

test('stores each phrase with at least 32 events, all of which contain it', () => {
  fc.assert(
    fc.property(texts, texts => {
      const wrongPhrases = [...collect(texts).phrase].filter(
        ([phrase, positions]) =>
          positions.length < 32 || !positions.every(position => texts[(position - 7) / 11]?.includes(phrase)),
      );
      expect(wrongPhrases).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test('collects names, sentences, values in quotes and JSON members as phrases', () => {
  const texts = Array.from(
    { length: 200 },
    (_, n) =>
      `{"name": "checkout-v${n}", "text": "rolled out to everyone", "say": "\\"hello\\" twice.", "tags": ["a b"], "on": false}\n\n[]`,
  );

  const phrases = [...collect(texts).phrase]
    .filter(([, { length }]) => length === 200)
    .map(([phrase]) => phrase);

  expect(phrases).toEqual(
    expect.arrayContaining([
      '"name": "checkout-',
      '"on": false}\n\n[]',
      '"checkout-',
      '"checkout-v',
      '"rolled out to everyone"',
      ' to everyone"',
      '"a b"',
      '"\\"hello\\" twice."',
    ]),
  );
});

test('different keys hash the same strings to mostly different buckets', () => {
  const texts = ['{"id": "a3f59c01-77", "note": "moved to the finance team"}'];
  const [one, two] = [collect(texts, 1), collect(texts, 2)];

  expect(one.bucket.size).toBeGreaterThan(5);
  const sharedBuckets = [...one.bucket.keys()].filter(bucket => two.bucket.has(bucket));
  expect(sharedBuckets.length).toBeLessThan(3);
  expect(sortSets(two.gram)).toEqual(sortSets(one.gram));
});

test('marks texts that are too long or have too many different characters as unindexed', () => {
  const various = String.fromCodePoint(...Array.from({ length: 5_000 }, (_, n) => 0x4e00 + n));
  const { whole, word } = collect([...Array(40).fill('"short"'), 'x'.repeat(2_000_001), various]);

  expect(sortSets(whole)).toEqual([['', [toPosition(40), toPosition(41)]]]);
  expect([...word.keys()]).toEqual(['short']);
});
