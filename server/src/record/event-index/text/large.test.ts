import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../../test/campaign.ts';
import { buildTextFilter, hashRuns } from './large.ts';

const KEY = 12_345;

const isSet = (filter: Buffer, hash: number): boolean => {
  const bit = hash % (8 * filter.length);
  return (((filter[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1;
};

test('a filter contains the hashes of every part of its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), fc.nat(), (text, from, size) => {
      const start = from % text.length;
      const part = text.slice(start, start + 1 + (size % 30));

      expect(hashRuns(KEY, part).filter(hash => !isSet(buildTextFilter(KEY, text), hash))).toEqual([]);
    }),
    { numRuns: campaignSize({ usual: 50, long: 5_000 }) },
  );
});

test('a filter of random values excludes most strings of 6 characters, and nearly all of 9', () => {
  const random = (length: number) =>
    Array.from({ length }, () => Math.floor(Math.random() * 36).toString(36)).join('');
  const filter = buildTextFilter(KEY, random(200_000));
  const passingShare = (length: number) =>
    Array.from({ length: 2_000 }, () => hashRuns(KEY, random(length))).filter(hashes =>
      hashes.every(hash => isSet(filter, hash)),
    ).length / 2_000;

  expect(passingShare(6)).toBeLessThan(0.15);
  expect(passingShare(9)).toBeLessThan(0.01);
});

test('different keys produce different filters for the same string', () => {
  expect(
    buildTextFilter(1, 'a segment of the finance team').equals(
      buildTextFilter(2, 'a segment of the finance team'),
    ),
  ).toBe(false);
});
