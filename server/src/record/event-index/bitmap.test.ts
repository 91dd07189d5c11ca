import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '../../test/campaign.ts';
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
  intersectionOf,
  subtract,
  subtractStored,
  unite,
} from './bitmap.ts';

const sets = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: CHUNK_SIZE - 1 }), { maxLength: 50 }),
  fc.integer({ min: 1, max: 40 }).map(step => range().filter(position => position % step === 0)),
);

const range = () => Array.from({ length: CHUNK_SIZE }, (_, position) => position);

function listOf(positions: number[]): Buffer {
  const list = Buffer.alloc(positions.length * 2);
  for (const [n, position] of positions.toSorted((a, b) => a - b).entries())
    list.writeUInt16BE(position, n * 2);
  return list;
}

function bitmapOf(positions: number[]) {
  const bitmap = emptyBitmap();
  addStored(bitmap, encodePositions(listOf(positions)));
  return bitmap;
}

const positionsOf = (bitmap: Uint32Array) => highestPositions(bitmap, CHUNK_SIZE, 0, CHUNK_SIZE).toReversed();

test('a set is the same after it was stored', () => {
  fc.assert(
    fc.property(sets, positions => {
      const sorted = positions.toSorted((a, b) => a - b);
      expect(positionsOf(bitmapOf(positions))).toEqual(sorted);
      expect(countBits(bitmapOf(positions))).toBe(sorted.length);
    }),
  );
});

test('a set is stored as a list or as a bitmap, whichever is shorter', () => {
  expect(encodePositions(listOf(range().slice(0, 1_499)))).toHaveLength(4_000);
  expect(encodePositions(listOf(range().slice(0, 10)))).toHaveLength(28);
  for (const size of [1_499, 1_500, 1_501, CHUNK_SIZE]) {
    expect(encodePositions(listOf(range().slice(0, size))).length).toBeLessThanOrEqual(4_000);
    expect(countBits(bitmapOf(range().slice(0, size)))).toBe(size);
  }
});

test('intersection, difference and union are those of sets', () => {
  fc.assert(
    fc.property(sets, sets, (first, second) => {
      const b = new Set(second);
      const sorted = (positions: number[]) => positions.toSorted((x, y) => x - y);
      const after = (change: (x: Uint32Array, y: Uint32Array) => void) => {
        const bitmap = bitmapOf(first);
        change(bitmap, bitmapOf(second));
        return positionsOf(bitmap);
      };
      expect(after(intersect)).toEqual(sorted(first.filter(position => b.has(position))));
      expect(after(subtract)).toEqual(sorted(first.filter(position => !b.has(position))));
      expect(after(unite)).toEqual(sorted([...new Set([...first, ...second])]));
      const left = bitmapOf(first);
      subtractStored(left, encodePositions(listOf(second)));
      expect(positionsOf(left)).toEqual(after(subtract));
    }),
    { numRuns: sized({ usual: 5, long: 200 }) },
  );
});

test('an intersection of several sets has what all of them have, and does not change them', () => {
  fc.assert(
    fc.property(fc.array(sets, { minLength: 1, maxLength: 4 }), lists => {
      const bitmaps = lists.map(bitmapOf);
      const [first = [], ...others] = lists.map(list => new Set(list));
      const expected = [...first].filter(position => others.every(other => other.has(position)));

      expect(positionsOf(intersectionOf(bitmaps))).toEqual(expected.toSorted((a, b) => a - b));
      expect(countCommon(bitmaps)).toBe(expected.length);
      expect(bitmaps).toEqual(lists.map(bitmapOf));
    }),
    { numRuns: sized({ usual: 5, long: 200 }) },
  );
  expect(countCommon([])).toBe(0);
});

test('a page is cut from the highest positions', () => {
  fc.assert(
    fc.property(
      sets,
      fc.integer({ min: 0, max: CHUNK_SIZE }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (positions, end, skip, take) => {
        const expected = positions
          .filter(position => position < end)
          .toSorted((a, b) => b - a)
          .slice(skip, skip + take);
        expect(highestPositions(bitmapOf(positions), end, skip, take)).toEqual(expected);
      },
    ),
  );
  expect(countBits(fullBitmap())).toBe(CHUNK_SIZE);
});
