import { expect, test } from 'vitest';
import { classifyExpiry, describePage, parseBrowser } from './words.ts';

const NOW = Date.parse('2026-11-15T14:00:00Z');

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140'],
  ['Mozilla/5.0 … Chrome/142.0.0.0 Safari/537.36', 'Chrome 142'],
  ['curl/8.14.1', 'curl/8.14.1'],
  [null, 'Unknown browser'],
])('names the browser of %s', (userAgent, expected) => {
  expect(parseBrowser(userAgent)).toBe(expected);
});

test.each([
  ['/', 'home'],
  ['/events', 'events'],
  ['/projects/payments/events', 'payments: events'],
  ['/projects/web%20shop', 'web shop: flags'],
  ['/projects/%E0', '%E0: flags'],
])('names the page %s', (path, expected) => {
  expect(describePage(path)).toBe(expected);
});

test('classifies tokens that have expired or expire within two weeks', () => {
  expect(classifyExpiry('2026-11-15T13:59:59Z', NOW)).toBe('expired');
  expect(classifyExpiry('2026-11-28T14:00:00Z', NOW)).toBe('soon');
  expect(classifyExpiry('2026-11-29T14:00:00Z', NOW)).toBe('later');
});
