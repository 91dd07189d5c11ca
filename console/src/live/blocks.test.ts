import { expect, test } from 'vitest';
import { parseBlock } from './blocks.ts';

test('parses the position of a block and, for an event, its data', () => {
  expect(parseBlock('retry: 1740\nid: 4211')).toEqual([{ id: 4211 }]);
  expect(parseBlock(': heartbeat\nid: 4230')).toEqual([{ id: 4230 }]);
  expect(parseBlock('id: 4213\ndata: {"id":4213,"data":{"text":"a\\nid: 7"}}')).toEqual([
    { id: 4213, event: { id: 4213, data: { text: 'a\nid: 7' } } },
  ]);
  expect(parseBlock(': the server is stopping')).toEqual([]);
});
