import { expect, test } from 'vitest';
import type { TokenAnswer } from '../../plane/src/feed/frames.ts';
import { limitQuestions } from './questions.ts';

const answer = (hash: string): TokenAnswer => ({
  v: 1,
  feed: { environment: 'production', projects: null },
  epoch: 'a',
  log: 'token',
  rev: 1,
  hash,
  token: null,
});

test('asks once for each hash, and remembers an unknown token for a minute', async () => {
  const asked: string[] = [];
  let now = 0;
  let revision = 1;
  const ask = limitQuestions(
    async hash => {
      asked.push(hash);
      return answer(hash);
    },
    ({ rev }) => rev >= revision,
    () => now,
  );

  await Promise.all([ask('a'), ask('a'), ask('a')]);
  now = 59_999;
  await ask('a');
  expect(asked).toEqual(['a']);

  now = 60_001;
  await ask('a');
  expect(asked).toEqual(['a', 'a']);

  // An edge that reads from this one rejects a response that is older than its tokens.
  revision = 2;
  await ask('a');
  expect(asked).toEqual(['a', 'a', 'a']);
});

test('asks at most 10 times a second, whatever SDKs send', async () => {
  let asked = 0;
  let now = 0;
  const ask = limitQuestions(
    async hash => {
      asked++;
      return answer(hash);
    },
    () => true,
    () => now,
  );

  for (let number = 0; number < 100_000; number++) {
    // Ten seconds.
    now += 0.1;
    await ask(`${number}`).catch(() => {});
  }

  expect(asked).toBeLessThanOrEqual(110);
  expect(asked).toBeGreaterThan(90);
});
