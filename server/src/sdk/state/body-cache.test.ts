import { expect, test } from 'vitest';
import { makeBodyCache } from './body-cache.ts';

function cacheOf(mostBytes: number) {
  const built: string[] = [];
  const cache = makeBodyCache(mostBytes);
  const get = (key: string, etag = '1', bytes = 10) =>
    cache.get(key, etag, () => {
      built.push(`${key}.${etag}`);
      return Buffer.alloc(bytes);
    });
  return { built, cache, get };
}

test('builds a body once for each ETag, and forgets the body of the ETag before', () => {
  const { built, cache, get } = cacheOf(100);

  get('a', '1');
  get('a', '1');
  get('a', '2');

  expect(built).toEqual(['a.1', 'a.2']);
  expect(cache.bytes).toBe(10);
});

test('drops the body that was used longest ago, and builds it again', () => {
  const { built, cache, get } = cacheOf(20);

  get('a');
  get('b');
  get('a');
  get('c');
  get('a');
  get('b');

  expect(built).toEqual(['a.1', 'b.1', 'c.1', 'b.1']);
  expect(cache.bytes).toBe(20);
});

test('keeps no body that is larger than the cache', () => {
  const { cache, get } = cacheOf(20);

  get('a');

  expect(get('b', '1', 21)).toHaveLength(21);
  expect(cache.bytes).toBe(10);
});
