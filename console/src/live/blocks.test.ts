import { expect, test } from 'vitest';
import { blockOf } from './blocks.ts';

test('a block has the position and, for an event, its data', () => {
  expect(blockOf('retry: 1740\nid: 4211')).toEqual([{ id: 4211 }]);
  expect(blockOf(': heartbeat\nid: 4230')).toEqual([{ id: 4230 }]);
  expect(blockOf('id: 4213\ndata: {"id":4213,"data":{"text":"a\\nid: 7"}}')).toEqual([
    { id: 4213, event: { id: 4213, data: { text: 'a\nid: 7' } } },
  ]);
  expect(blockOf(': the server is stopping')).toEqual([]);
});
