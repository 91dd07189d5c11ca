import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useHarness } from './harness.ts';
import { listOperations } from './operations.ts';

const harness = useHarness();

type Row = { method: string; path: string; support: string; note: string };

const PAGE = readFileSync(new URL('../../../docs/reference/compatibility.md', import.meta.url), 'utf8');
const ROW = /^\| ([A-Z]+) +\| `([^`]+)` +\| (\S+) +\| (.*)\|$/gm;

const rows: Row[] = [...PAGE.matchAll(ROW)].map(([, method = '', path = '', support = '', note = '']) => ({
  method,
  path,
  support,
  note: note.trim(),
}));

/** Parameters may have different names, because only their position counts. */
const toShape = (method: string, path: string): string => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;

const operations = new Set(listOperations().map(({ method, path }) => toShape(method, path)));

/** This operation is served but not listed in the document, because it is the document itself. */
const THE_DOCUMENT = '/docs/openapi.json';

test('lists no Unleash operation twice, and each with its level of support', () => {
  const shapes = rows.map(({ method, path }) => toShape(method, path));

  expect(rows.length).toBeGreaterThan(200);
  expect(PAGE.match(/^\| [A-Z]+ +\| `/gm)).toHaveLength(rows.length);
  expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  for (const row of rows) expect(['yes', 'no', 'differs']).toContain(row.support);
  expect(rows.filter(({ support, note }) => support !== 'yes' && note === '')).toEqual([]);
});

test('the page marks an operation as available if and only if it exists', () => {
  const wrongRows = rows.filter(({ method, path, support }) => {
    if (path === THE_DOCUMENT) return false;
    return operations.has(toShape(method, path)) !== (support !== 'no');
  });

  expect(wrongRows).toEqual([]);
});

test('the document itself is served', async () => {
  const response = await harness.app.inject({ method: 'GET', url: THE_DOCUMENT });

  expect(response.statusCode).toBe(200);
});
