import { expect, test } from 'vitest';
import { eventBlock, spreadRetryMs } from './server-sent-events.ts';

test.each([
  [{ comment: '' }, ':\n\n'],
  [{ comment: 'bye', id: 7 }, ': bye\nid: 7\n\n'],
  [
    { retryMs: 1_999.6, id: 'e.s.1', event: 'news', data: '{}' },
    'retry: 2000\nid: e.s.1\nevent: news\ndata: {}\n\n',
  ],
])('writes %j', (fields, text) => {
  expect(eventBlock(fields)).toBe(text);
});

test('reconnect delays are random, within the given limits', () => {
  const times = Array.from({ length: 100 }, () => spreadRetryMs({ min: 1_000, max: 3_000 }));

  expect(times.every(time => time >= 1_000 && time <= 3_000)).toBe(true);
  expect(new Set(times).size).toBeGreaterThan(1);
});
