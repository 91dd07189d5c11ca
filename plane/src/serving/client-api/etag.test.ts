import { expect, test } from 'vitest';
import { readRevision } from './etag.ts';

test.each([
  ['"e1.s1.12"', 12],
  ['W/"e1.s1.12"', 12],
  ['"e1.s1.12-gzip"', 12],
  ['W/"e1.s1.12;gzip"', 12],
  ['"e1.s1.12--gzip"', 12],
  ['e1.s1.12', 12],
  ['"e1.s1.3", W/"e1.s1.12" , "other"', 12],
  ['"other", "e1.s1.0"', 0],
  ['*', Number.POSITIVE_INFINITY],
  [' * ', Number.POSITIVE_INFINITY],
  ['"e2.s1.12"', undefined],
  ['"e1.s2.12"', undefined],
  ['"e1.s1."', undefined],
  ['"e1.s1.-1"', undefined],
  ['"e1.s1.99999999999"', undefined],
  ['"12"', undefined],
  ['"xe1.s1.12"', undefined],
  [`"e1.s1.12-${'a'.repeat(200)}"`, undefined],
  ['""', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads %s as revision %s', (header, revision) => {
  expect(readRevision(header, 'e1', 's1')).toBe(revision);
});

test('reads a long header quickly', () => {
  const cpuAtStart = process.cpuUsage();
  for (const header of ['a', '1', 'a.', 'a,', '"a.a.1"']) readRevision(header.repeat(16_000), 'e1', 's1');

  // Backtracking took a second for each of these headers.
  expect(process.cpuUsage(cpuAtStart).user / 1_000).toBeLessThan(500);
});
