import { expect, test } from 'vitest';
import { parseTable } from './csv.ts';

test.each([
  ['commas', 'userId,country\n7,NO\n8,SE'],
  ['tabs, as spreadsheets copy them', 'userId\tcountry\r\n7\tNO\r\n8\tSE\r\n'],
  ['semicolons', 'userId;country\n7;NO\n\n8; SE'],
])('reads a table with %s', (_, text) => {
  expect(parseTable(text).rows).toEqual([
    { userId: '7', country: 'NO' },
    { userId: '8', country: 'SE' },
  ]);
});

test('reads quoted values, and omits empty values', () => {
  expect(parseTable('userId,note\n7,"a, ""b""\nc"\n,"d"\n9').rows).toEqual([
    { userId: '7', note: 'a, "b"\nc' },
    { note: 'd' },
    { userId: '9' },
  ]);
});

const rows = (count: number) => Array.from({ length: count }, (_, index) => `\n${index}`).join('');

test.each([
  ['', 'Paste a table'],
  ['userId', 'no rows'],
  ['userId,\n7,8', 'no name'],
  ['userId,userId\n7,8', '"userId" twice'],
  ['userId\n7\n8,9', 'Row 2 has more values'],
  [`userId${rows(51)}`, '51 rows'],
  [`userId\n${'x'.repeat(5_000)}`, 'fit into a link'],
])('describes the problem with %j', (text, expected) => {
  expect(parseTable(text).problem).toContain(expected);
});

test('accepts 50 rows', () => {
  expect(parseTable(`userId${rows(50)}`)).toMatchObject({ rows: { length: 50 } });
});
