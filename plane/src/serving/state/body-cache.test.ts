import { expect, test } from 'vitest';
import { makeBodyCache } from './body-cache.ts';

function buildCache(maxBytes: number) {
  const built: string[] = [];
  const cache = makeBodyCache(maxBytes);
  const get = (key: string, etag = '1', bytes = 1_000, owner = '') =>
    cache.get(
      key,
      etag,
      () => {
        built.push(`${key}.${etag}`);
        return Buffer.alloc(bytes);
      },
      owner,
    );
  return { built, cache, get };
}

test('builds a body once for each ETag, and drops the body of the previous ETag', () => {
  const { built, cache, get } = buildCache(10_000);

  get('a', '1');
  get('a', '1');
  get('a', '2');

  expect(built).toEqual(['a.1', 'a.2']);
  expect(cache.bytes).toBe(1_000);
});

test('drops the least recently used body, and builds it again', () => {
  const { built, cache, get } = buildCache(2_000);

  get('a');
  get('b');
  get('a');
  get('c');
  get('a');
  get('b');

  expect(built).toEqual(['a.1', 'b.1', 'c.1', 'b.1']);
  expect(cache.bytes).toBe(2_000);
});

test('does not store a body that is larger than the cache', () => {
  const { cache, get } = buildCache(2_000);

  get('a');

  expect(get('b', '1', 2_001)).toHaveLength(2_001);
  expect(cache.bytes).toBe(1_000);
});

test('a token with many bodies loses only its own bodies', () => {
  const { built, cache, get } = buildCache(5_000);
  get('shared');
  get('a', '1', 1_000, 'token a');
  for (let number = 0; number < 20; number++) get(`b${number}`, '1', 1_000, 'token b');

  built.length = 0;
  get('shared');
  get('a', '1', 1_000, 'token a');
  get('b19', '1', 1_000, 'token b');

  expect(built).toEqual([]);
  expect(cache.bytes).toBe(5_000);
});

test('shared bodies displace the bodies of single tokens', () => {
  const { built, get } = buildCache(2_000);
  get('a', '1', 1_000, 'token a');
  get('one');
  get('two');

  built.length = 0;
  get('one');
  get('two');

  expect(built).toEqual([]);
});

test('builds a slow body once for all callers that request it during the build', async () => {
  const cache = makeBodyCache(10_000);
  const startedBuilds: string[] = [];
  const later = (etag: string) =>
    cache.get('a', etag, async () => {
      startedBuilds.push(etag);
      return Buffer.from(etag);
    });

  const results = await Promise.all([later('1'), later('1'), later('2'), later('2')]);

  expect(results.map(String)).toEqual(['1', '1', '2', '2']);
  expect(startedBuilds).toEqual(['1', '2']);
  await expect(
    cache.get('b', '1', async () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(cache.has('b', '1')).toBe(false);
});

test('keeps a small body in separate memory, and counts the size of its entry', () => {
  const cache = makeBodyCache(10_000);

  const bodies = Array.from({ length: 30 }, (_, index) =>
    cache.get(`${index}`, '1', () => Buffer.from(`body ${index}`)),
  );

  expect(bodies.map(String).slice(0, 2)).toEqual(['body 0', 'body 1']);
  expect(bodies.every(body => body.buffer.byteLength === body.length)).toBe(true);
  expect(cache.bytes).toBe(10_000);
});
