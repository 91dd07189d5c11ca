import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('forgets the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2);

  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

test('evicts nothing when an entry is replaced', () => {
  const map = new BoundedMap<string, number>(2);

  map.set('a', 1).set('b', 2).set('b', 3);

  expect([...map.keys()]).toEqual(['a', 'b']);
});
