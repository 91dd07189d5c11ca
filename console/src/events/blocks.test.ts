import { expect, test } from 'vitest';
import { blockOf, isInDays } from './blocks.ts';

test('a block has the position and, for an event, its data', () => {
  expect(blockOf('retry: 1740\nid: 4211')).toEqual([{ id: 4211 }]);
  expect(blockOf(': heartbeat\nid: 4230')).toEqual([{ id: 4230 }]);
  expect(blockOf('id: 4213\ndata: {"id":4213,"data":{"text":"a\\nid: 7"}}')).toEqual([
    { id: 4213, event: { id: 4213, data: { text: 'a\nid: 7' } } },
  ]);
  expect(blockOf(': the server is stopping')).toEqual([]);
});

test('an event belongs to the days of a search, both included', () => {
  const event = { createdAt: '2026-11-15T23:59:59.999Z' };

  expect(isInDays(event, {})).toBe(true);
  expect(isInDays(event, { from: 'IS:2026-11-15', to: 'IS:2026-11-15' })).toBe(true);
  expect(isInDays(event, { from: 'IS:2026-11-16' })).toBe(false);
  expect(isInDays(event, { to: 'IS:2026-11-14' })).toBe(false);
});
