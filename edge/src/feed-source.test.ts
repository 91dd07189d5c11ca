import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeServingState } from '../../plane/src/serving/state/serving.ts';
import { makeFeedSource } from './feed-source.ts';
import { FEED, featureRow, SDK_TOKEN, snapshotOf } from './test/hostile-upstream.ts';

test('a token lookup between two steps does not lose the snapshot of a new epoch', async () => {
  const nobody = async (hash: string) =>
    ({ v: 1, feed: FEED, epoch: 'new', log: 'token', rev: 1, hash, token: null }) as const;
  const feed = makeFeedSource(FEED, 'edge', nobody, () => []);
  const state = makeServingState(feed.source);
  feed.takeSnapshot(snapshotOf({ revision: 90, features: [featureRow('lost', 90)] }));
  await state.refresh();
  await state.load('production');
  const restored = snapshotOf({ epoch: 'new', revision: 1, tokenRevision: 1 });
  feed.takeSnapshot({ ...restored, features: [featureRow('restored', 1)] });

  // The lookup notices the new epoch and reads the tokens in it. The flags are those of the old one.
  await state.tokens.find('0'.repeat(64), 'network');
  expect(state.tokens.epoch).toBe('new');
  await state.refresh();

  const token = state.tokens.known(SDK_TOKEN);
  const scope = token && state.scopeOf(token);
  expect(scope && [...scope.current.features.keys()]).toEqual(['restored']);
});

test('a tokens frame that starts before the own revision is a gap, because it may lack a token that was revoked since', () => {
  const feed = makeFeedSource(
    FEED,
    'edge',
    () => Promise.reject(new Error('Nothing is asked')),
    () => [],
  );
  feed.takeSnapshot(snapshotOf({ tokenRevision: 6 }));
  const take = (prev: number, rev: number) =>
    feed.take({ v: 1, feed: FEED, log: 'tokens', epoch: 'a', prev, rev, revs: [] });

  expect(take(5, 7)).toBe('gap');
  expect(take(7, 8)).toBe('gap');
  expect(take(5, 6)).toBe('known');
  expect(take(6, 7)).toBe('applied');
});

test('a snapshot that lists the own token as ended is a signed revocation', async () => {
  const feed = makeFeedSource(
    FEED,
    'edge',
    () => Promise.reject(new Error('Nothing is asked')),
    () => [],
  );
  feed.takeSnapshot(snapshotOf({ endedTokens: [hash('sha256', 'other')] }));
  expect(feed.isRevoked).toBe(false);

  feed.takeSnapshot(snapshotOf({ tokenRevision: 6, endedTokens: [hash('sha256', 'edge')] }));

  expect(feed.isRevoked).toBe(true);
  expect(await feed.source.tokens()).toMatchObject({ tokens: [] });
});
