import { expect, test } from 'vitest';
import type { Event } from './queries.ts';
import {
  buildRows,
  findEventIndex,
  findNeighbor,
  listMissingPages,
  type Row,
  rowAt,
  toRows,
} from './rows.ts';

/** Creates an event of a change. The id is also the minute of the event, so a higher id is later. */
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
/** Creates events from the highest id to the lowest. */
const events = (newest: number, oldest: number): Event[] =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => event(newest - index));
const formatRow = (row: Row | undefined): string =>
  row === undefined ? '…' : row.kind === 'day' ? row.day : row.events.map(({ id }) => id).join('+');

test('groups adjacent events of one change under the most significant event', () => {
  const rows = toRows([
    event(5, 'copy', 'feature-tagged'),
    event(4, 'copy', 'feature-environment-enabled'),
    event(3, 'copy', 'feature-created'),
    event(2, 'other'),
    event(1, 'copy'),
  ]);

  expect(rows.map(formatRow)).toEqual(['2026-11-15', '5+4+3', '2', '1']);
  expect(rows[1]).toMatchObject({ lead: { id: 3 }, position: 1 });
  expect(rows[2]).toMatchObject({ position: 4 });
});

test('never groups events across midnight', () => {
  const rows = toRows([event(0, 'one'), event(-1, 'one'), event(-2)]);

  expect(rows.map(formatRow)).toEqual(['2026-11-15', '0', '2026-11-14', '-1', '-2']);
});

test('reserves a row for each event that is not loaded, and lists the pages to load', () => {
  const pages = new Map([
    [0, events(9, 8)],
    [3, events(3, 2)],
  ]);

  const rows = buildRows(pages, [], 9, 2);

  expect(Array.from({ length: rows.count }, (_, index) => formatRow(rowAt(rows, index)))).toEqual([
    ...['2026-11-15', '9', '8', '…', '…', '…', '…', '2026-11-15', '3', '2', '…'],
  ]);
  expect(listMissingPages(rows, 0, 3, 2)).toEqual([1]);
  expect(listMissingPages(rows, 4, 8, 2)).toEqual([1, 2]);
  expect(listMissingPages(rows, 10, 10, 2)).toEqual([4]);
  expect(rowAt(rows, 8)).toMatchObject({ position: 7 });
});

test('groups a change that spans two loaded pages', () => {
  const pages = new Map([
    [0, [event(4), event(3, 'copy')]],
    [1, [event(2, 'copy'), event(1)]],
  ]);

  const rows = buildRows(pages, [], 4, 2);

  expect(Array.from({ length: rows.count }, (_, index) => formatRow(rowAt(rows, index)))).toEqual([
    ...['2026-11-15', '4', '3+2', '1'],
  ]);
});

test('puts new events first, without duplicates', () => {
  const pages = new Map([
    [0, events(4, 3)],
    [1, events(2, 1)],
  ]);

  const rows = buildRows(pages, [event(6), event(5), event(4)], 6, 2);

  expect(Array.from({ length: rows.count }, (_, index) => formatRow(rowAt(rows, index)))).toEqual([
    ...['2026-11-15', '6', '5', '4', '3', '2', '1'],
  ]);
});

test('finds the row of an event and its neighbors across headings', () => {
  const rows = buildRows(new Map([[0, [event(1), event(0, 'one'), event(-1)]]]), [], 3, 3);

  const index = findEventIndex(rows, 0);

  expect(findNeighbor(rows, index, -1)?.lead.id).toBe(1);
  expect(findNeighbor(rows, index, 1)?.lead.id).toBe(-1);
  expect(findNeighbor(rows, findEventIndex(rows, -1), 1)).toBeUndefined();
  expect(findEventIndex(rows, 99)).toBe(-1);
});
