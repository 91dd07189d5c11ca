import type { TokenFrame } from '@halyard/plane/feed/frames.ts';
import { expect, test } from 'vitest';
import { limitLookups } from './questions.ts';

const tokenFrame = (hash: string): TokenFrame => ({
  v: 1,
  feed: { environment: 'production', projects: null },
  epoch: 'a',
  log: 'token',
  rev: 1,
  hash,
  token: null,
});

test('asks once for each hash, and remembers an unknown token for a minute', async () => {
  const askedHashes: string[] = [];
  let now = 0;
  let revision = 1;
  const ask = limitLookups(
    async hash => {
      askedHashes.push(hash);
      return tokenFrame(hash);
    },
    ({ rev }) => rev >= revision,
    () => now,
  );

  await Promise.all([ask('a'), ask('a'), ask('a')]);
  now = 59_999;
  await ask('a');
  expect(askedHashes).toEqual(['a']);

  now = 60_001;
  await ask('a');
  expect(askedHashes).toEqual(['a', 'a']);

  // An edge that reads from this one rejects a response that is older than its tokens.
  revision = 2;
  await ask('a');
  expect(askedHashes).toEqual(['a', 'a', 'a']);
});

test('asks at most 10 times a second, no matter what SDKs send', async () => {
  let lookupCount = 0;
  let now = 0;
  const ask = limitLookups(
    async hash => {
      lookupCount++;
      return tokenFrame(hash);
    },
    () => true,
    () => now,
  );

  for (let number = 0; number < 100_000; number++) {
    // Ten seconds.
    now += 0.1;
    await ask(`${number}`).catch(() => {});
  }

  expect(lookupCount).toBeLessThanOrEqual(110);
  expect(lookupCount).toBeGreaterThan(90);
});
