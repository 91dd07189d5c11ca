import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventBlock, spreadRetryMs, startHeartbeats } from './server-sent-events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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

test('clients reconnect within the given times', () => {
  const times = Array.from({ length: 100 }, () => spreadRetryMs({ least: 1_000, most: 3_000 }));

  expect(times.every(time => time >= 1_000 && time <= 3_000)).toBe(true);
  expect(new Set(times).size).toBeGreaterThan(1);
});

test('every stream gets one heartbeat in 15 s, and no heartbeat after the end', () => {
  const streams = new Set(Array.from({ length: 300 }, (_, at) => at));
  const beats: number[] = [];
  const stop = startHeartbeats(streams, stream => beats.push(stream));

  vi.advanceTimersByTime(15_000);
  stop();
  vi.advanceTimersByTime(15_000);

  expect(beats.toSorted((a, b) => a - b)).toEqual([...streams]);
});
