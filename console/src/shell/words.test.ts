import { expect, test } from 'vitest';
import { describeConnection } from './words.ts';

const CONNECTED = { unavailable: false, snapshot: null, waitingWrites: 0 };

test('reports an unreachable server or database, and nothing while the server responds', () => {
  expect(describeConnection(CONNECTED)).toBeUndefined();
  expect(describeConnection({ ...CONNECTED, unavailable: true })).toMatch(/^The server is not available/);
  const snapshot = '2026-11-15T09:30:00.000Z';
  expect(describeConnection({ ...CONNECTED, unavailable: true, snapshot })).toMatch(/^The database is unr/);
});

test('keeps the message about a waiting change, whether or not reads succeed', () => {
  const waiting = { ...CONNECTED, waitingWrites: 1 };

  expect(describeConnection(waiting)).toBe('The server has not responded yet.');
  expect(describeConnection({ ...waiting, unavailable: true })).toBe(describeConnection(waiting));
});
