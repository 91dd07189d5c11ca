import type { TokenFrame } from '@halyard/plane/feed/frames.ts';
import { expect, test } from 'vitest';
import { limitLookups } from './limit-lookups.ts';

const tokenFrame = (hash: string): TokenFrame => ({
  v: 1,
  feed: { environment: 'production', projects: null },
  epoch: 'a',
  log: 'token',
  rev: 1,
  hash,
  token: null,
});

test('looks up each hash once, and remembers an unknown token for a minute', async () => {
  const lookedUpHashes: string[] = [];
  let now = 0;
  let revision = 1;
  const lookUp = limitLookups(
    async hash => {
      lookedUpHashes.push(hash);
      return tokenFrame(hash);
    },
    ({ rev }) => rev >= revision,
    () => now,
  );

  await Promise.all([lookUp('a'), lookUp('a'), lookUp('a')]);
  now = 59_999;
  await lookUp('a');
  expect(lookedUpHashes).toEqual(['a']);

  now = 60_001;
  await lookUp('a');
  expect(lookedUpHashes).toEqual(['a', 'a']);

  // An edge that reads from this one rejects a response that is older than its tokens, so it is not reused.
  revision = 2;
  await lookUp('a');
  expect(lookedUpHashes).toEqual(['a', 'a', 'a']);
});

test('looks up at most 10 tokens a second, no matter what SDKs send', async () => {
  let lookupCount = 0;
  let now = 0;
  const lookUp = limitLookups(
    async hash => {
      lookupCount++;
      return tokenFrame(hash);
    },
    () => true,
    () => now,
  );

  for (let number = 0; number < 100_000; number++) {
    // All of these lookups together take ten seconds.
    now += 0.1;
    await lookUp(`${number}`).catch(() => {});
  }

  expect(lookupCount).toBeLessThanOrEqual(110);
  expect(lookupCount).toBeGreaterThan(90);
});
