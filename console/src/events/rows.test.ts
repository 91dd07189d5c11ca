import { expect, test } from 'vitest';
import type { Event } from './queries.ts';
import { indexOfEvent, layOut, neighbor, pagesFor, type Row, rowAt, rowsOf } from './rows.ts';

/** An event of the given change. Ids and times increase together: one minute per id. */
const event = (id: number, groupId = `group-${id}`, type: Event['type'] = 'feature-updated'): Event => ({
  id,
  groupId,
  type,
  createdAt: new Date(Date.UTC(2026, 10, 15, 0, id)).toISOString(),
  createdBy: 'dora',
  createdByUserId: 4,
  environment: null,
  project: 'payments',
  featureName: 'checkout',
  data: null,
  preData: null,
  tags: [],
  label: 'Flag updated',
  summary: '',
});
/** Events from the highest id to the lowest. */
const events = (newest: number, oldest: number): Event[] =>
  Array.from({ length: newest - oldest + 1 }, (_, n) => event(newest - n));
const wordsOf = (row: Row | undefined): string =>
  row === undefined ? '…' : row.kind === 'day' ? row.day : row.events.map(({ id }) => id).join('+');

test('groups adjacent events of one change, led by the most significant one', () => {
  const rows = rowsOf([
    event(5, 'copy', 'feature-tagged'),
    event(4, 'copy', 'feature-environment-enabled'),
    event(3, 'copy', 'feature-created'),
    event(2, 'other'),
    event(1, 'copy'),
  ]);

  expect(rows.map(wordsOf)).toEqual(['2026-11-15', '5+4+3', '2', '1']);
  expect(rows[1]).toMatchObject({ lead: { id: 3 }, position: 1 });
  expect(rows[2]).toMatchObject({ position: 4 });
});

test('starts each UTC day with a heading, and never groups over midnight', () => {
  const rows = rowsOf([event(0, 'one'), event(-1, 'one'), event(-2)]);

  expect(rows.map(wordsOf)).toEqual(['2026-11-15', '0', '2026-11-14', '-1', '-2']);
});

test('lays out rows over the total, with one row for each event that is not loaded', () => {
  const pages = new Map([
    [0, events(9, 8)],
    [3, events(3, 2)],
  ]);

  const rows = layOut(pages, [], 9, 2);

  expect(Array.from({ length: rows.count }, (_, n) => wordsOf(rowAt(rows, n)))).toEqual([
    ...['2026-11-15', '9', '8', '…', '…', '…', '…', '2026-11-15', '3', '2', '…'],
  ]);
  expect(pagesFor(rows, 0, 3, 2)).toEqual([1]);
  expect(pagesFor(rows, 4, 8, 2)).toEqual([1, 2]);
  expect(pagesFor(rows, 10, 10, 2)).toEqual([4]);
  expect(rowAt(rows, 8)).toMatchObject({ position: 7 });
});

test('groups a change that spans two loaded pages', () => {
  const pages = new Map([
    [0, [event(4), event(3, 'copy')]],
    [1, [event(2, 'copy'), event(1)]],
  ]);

  const rows = layOut(pages, [], 4, 2);

  expect(Array.from({ length: rows.count }, (_, n) => wordsOf(rowAt(rows, n)))).toEqual([
    ...['2026-11-15', '4', '3+2', '1'],
  ]);
});

test('puts new events in front, each of them once, and keeps the pages in place', () => {
  const pages = new Map([
    [0, events(4, 3)],
    [1, events(2, 1)],
  ]);

  const rows = layOut(pages, [event(6), event(5), event(4)], 6, 2);

  expect(Array.from({ length: rows.count }, (_, n) => wordsOf(rowAt(rows, n)))).toEqual([
    ...['2026-11-15', '6', '5', '4', '3', '2', '1'],
  ]);
});

test('finds the row of an event and its neighbors, across headings', () => {
  const rows = layOut(new Map([[0, [event(1), event(0, 'one'), event(-1)]]]), [], 3, 3);

  const index = indexOfEvent(rows, 0);

  expect(neighbor(rows, index, -1)?.lead.id).toBe(1);
  expect(neighbor(rows, index, 1)?.lead.id).toBe(-1);
  expect(neighbor(rows, indexOfEvent(rows, -1), 1)).toBeUndefined();
  expect(indexOfEvent(rows, 99)).toBe(-1);
});
