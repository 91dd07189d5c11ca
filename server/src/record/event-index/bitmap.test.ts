import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../test/campaign.ts';
import {
  addStored,
  CHUNK_SIZE,
  countBits,
  countCommon,
  emptyBitmap,
  encodePositions,
  fullBitmap,
  highestPositions,
  intersect,
  intersectAll,
  subtract,
  subtractStored,
  unite,
} from './bitmap.ts';

const sets = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: CHUNK_SIZE - 1 }), { maxLength: 50 }),
  fc.integer({ min: 1, max: 40 }).map(step => range().filter(position => position % step === 0)),
);

const range = () => Array.from({ length: CHUNK_SIZE }, (_, position) => position);

function toList(positions: number[]): Buffer {
  const list = Buffer.alloc(positions.length * 2);
  for (const [n, position] of positions.toSorted((a, b) => a - b).entries())
    list.writeUInt16BE(position, n * 2);
  return list;
}

function toBitmap(positions: number[]) {
  const bitmap = emptyBitmap();
  addStored(bitmap, encodePositions(toList(positions)));
  return bitmap;
}

const listPositions = (bitmap: Uint32Array) =>
  highestPositions(bitmap, CHUNK_SIZE, 0, CHUNK_SIZE).toReversed();

test('a stored set is read back unchanged', () => {
  fc.assert(
    fc.property(sets, positions => {
      const sorted = positions.toSorted((a, b) => a - b);
      expect(listPositions(toBitmap(positions))).toEqual(sorted);
      expect(countBits(toBitmap(positions))).toBe(sorted.length);
    }),
  );
});

test('a set is stored as a list or as a bitmap, whichever is shorter', () => {
  expect(encodePositions(toList(range().slice(0, 1_499)))).toHaveLength(4_000);
  expect(encodePositions(toList(range().slice(0, 10)))).toHaveLength(28);
  for (const size of [1_499, 1_500, 1_501, CHUNK_SIZE]) {
    expect(encodePositions(toList(range().slice(0, size))).length).toBeLessThanOrEqual(4_000);
    expect(countBits(toBitmap(range().slice(0, size)))).toBe(size);
  }
});

test('intersection, difference and union match those of sets', () => {
  fc.assert(
    fc.property(sets, sets, (first, second) => {
      const b = new Set(second);
      const sorted = (positions: number[]) => positions.toSorted((x, y) => x - y);
      const applyTo = (change: (x: Uint32Array, y: Uint32Array) => void) => {
        const bitmap = toBitmap(first);
        change(bitmap, toBitmap(second));
        return listPositions(bitmap);
      };
      expect(applyTo(intersect)).toEqual(sorted(first.filter(position => b.has(position))));
      expect(applyTo(subtract)).toEqual(sorted(first.filter(position => !b.has(position))));
      expect(applyTo(unite)).toEqual(sorted([...new Set([...first, ...second])]));
      const difference = toBitmap(first);
      subtractStored(difference, encodePositions(toList(second)));
      expect(listPositions(difference)).toEqual(applyTo(subtract));
    }),
    { numRuns: campaignSize({ usual: 5, long: 200 }) },
  );
});

test('intersecting several sets returns their common elements and does not change the sets', () => {
  fc.assert(
    fc.property(fc.array(sets, { minLength: 1, maxLength: 4 }), lists => {
      const bitmaps = lists.map(toBitmap);
      const [first = [], ...others] = lists.map(list => new Set(list));
      const expected = [...first].filter(position => others.every(other => other.has(position)));

      expect(listPositions(intersectAll(bitmaps))).toEqual(expected.toSorted((a, b) => a - b));
      expect(countCommon(bitmaps)).toBe(expected.length);
      expect(bitmaps).toEqual(lists.map(toBitmap));
    }),
    { numRuns: campaignSize({ usual: 5, long: 200 }) },
  );
  expect(countCommon([])).toBe(0);
});

test('returns the highest positions below a bound, after skipping some', () => {
  fc.assert(
    fc.property(
      sets,
      fc.integer({ min: 0, max: CHUNK_SIZE }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (positions, end, skip, limit) => {
        const expected = positions
          .filter(position => position < end)
          .toSorted((a, b) => b - a)
          .slice(skip, skip + limit);
        expect(highestPositions(toBitmap(positions), end, skip, limit)).toEqual(expected);
      },
    ),
  );
  expect(countBits(fullBitmap())).toBe(CHUNK_SIZE);
});
