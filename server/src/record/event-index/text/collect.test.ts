import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '../../../test/campaign.ts';
import { addStored, CHUNK_SIZE, emptyBitmap, highestPositions } from '../bitmap.ts';
import { type Kind, makeCollector, type TextSet } from './collect.ts';
import { hashCodes, junctionBucket, partBucket, startHash } from './hash.ts';
import { codesOf, isSurrogate, junctionOf, splitText } from './split.ts';

type Sets = Map<string, number[]>;

const RUNS = sized({ usual: 2, long: 50 });
const KEY = 12_345;

/** The sets of each kind by value, with their positions in ascending order. */
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
      if (list.length !== count || sets[kind].has(value)) throw new Error(`Wrong count or twice: ${value}`);
      sets[kind].set(value, list);
    }
  };
  for (const pass of collector.passes) {
    for (const [n, text] of texts.entries()) pass.add(positionOf(n), text);
    read(pass.sets());
  }
  return sets;
}

const positionOf = (n: number): number => 7 + 11 * n;

/** The sets for everything that the events contain. */
function setsOf(texts: string[], valuesOf: (text: string) => string[]): Sets {
  const sets: Sets = new Map();
  for (const [n, text] of texts.entries()) {
    for (const value of new Set(valuesOf(text))) sets.set(value, [...(sets.get(value) ?? []), positionOf(n)]);
  }
  return sets;
}

const sorted = (sets: Sets) => [...sets].toSorted(([a], [b]) => (a < b ? -1 : 1));

const runsOf = (characters: string[] | string, size: number): string[] =>
  Array.from({ length: Math.max(0, characters.length - size + 1) }, (_, at) =>
    [...characters.slice(at, at + size)].join(''),
  );

const tokensOf = (text: string): string[] => {
  const { words, separators } = splitText(text);
  return [...words, ...separators.filter(({ length }) => length >= 3)];
};

const hashOf = (purpose: Parameters<typeof startHash>[1], text: string): number =>
  hashCodes(startHash(KEY, purpose), codesOf(text), 0, text.length);

const hasSurrogate = (text: string): boolean => codesOf(text).some(isSurrogate);

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

/** JSON of a few hundred events: frequent words, and words and numbers that few events have. */
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

      expect(sorted(gram)).toEqual(
        sorted(setsOf(texts, text => [...runsOf([...text], 1), ...runsOf([...text], 2)])),
      );
      expect(whole.size).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

test('collects every word and separator, the frequent ones as they are and the others by their parts', () => {
  fc.assert(
    fc.property(texts, texts => {
      const { word, part, bucket } = collect(texts);
      const tokens = setsOf(texts, tokensOf);
      for (const [token, positions] of tokens) {
        const stored = word.get(token);
        if (positions.length >= 32 && token.length <= 200) expect(stored).toEqual(positions);
        if (stored) expect(stored).toEqual(positions);
      }
      const rare = (text: string) => tokensOf(text).filter(token => !word.has(token));
      const rareParts = (text: string) => rare(text).flatMap(token => runsOf(token.split(''), 3));
      const stored = setsOf(texts, text => rareParts(text).filter(run => !hasSurrogate(run)));
      const hashed = setsOf(texts, text => {
        const { words, separators } = splitText(text);
        const junctions = words
          .slice(1)
          .map((after, n) => junctionOf(words[n] ?? '', separators[n + 1] ?? '', after));
        return [
          ...rareParts(text)
            .filter(hasSurrogate)
            .map(run => String(partBucket(hashOf('part', run)))),
          ...junctions.map(junction => String(junctionBucket(hashOf('junction', junction)))),
        ];
      });
      expect(sorted(part)).toEqual(sorted(stored));
      expect(sorted(bucket)).toEqual(sorted(hashed));
    }),
    { numRuns: RUNS },
  );
});

test('hashes the parts of rare words for which there is no room', () => {
  const wordsOf = (n: number) => [1, 2, 3, 4].map(m => (Math.imul(4 * n + m, 0x9e3779b1) >>> 0).toString(36));
  const texts = Array.from({ length: 2_000 }, (_, n) => wordsOf(n).join(' '));

  const { part, bucket } = collect(texts);

  expect(part.size).toBe(6_144);
  const missing = texts.flatMap((_, n) =>
    wordsOf(n)
      .flatMap(word => runsOf(word, 3))
      .filter(run => {
        const stored = part.get(run) ?? bucket.get(String(partBucket(hashOf('part', run))));
        return !stored?.includes(positionOf(n));
      }),
  );
  expect(missing).toEqual([]);
});

test('collects phrases of at least 32 events, and only events that contain them', () => {
  fc.assert(
    fc.property(texts, texts => {
      const wrong = [...collect(texts).phrase].filter(
        ([phrase, positions]) =>
          positions.length < 32 || !positions.every(position => texts[(position - 7) / 11]?.includes(phrase)),
      );
      expect(wrong).toEqual([]);
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

test('two instances hash the same string to different buckets', () => {
  const texts = ['{"id": "a3f59c01-77", "note": "moved to the finance team"}'];
  const [one, two] = [collect(texts, 1), collect(texts, 2)];

  expect(one.bucket.size).toBeGreaterThan(5);
  const shared = [...one.bucket.keys()].filter(bucket => two.bucket.has(bucket));
  expect(shared.length).toBeLessThan(3);
  expect(sorted(two.gram)).toEqual(sorted(one.gram));
});

test('omits a string that is too long, and strings with too many different characters', () => {
  const various = String.fromCodePoint(...Array.from({ length: 5_000 }, (_, n) => 0x4e00 + n));
  const { whole, word } = collect([...Array(40).fill('"short"'), 'x'.repeat(2_000_001), various]);

  expect(sorted(whole)).toEqual([['', [positionOf(40), positionOf(41)]]]);
  expect([...word.keys()]).toEqual(['short']);
});
