import { hash } from 'node:crypto';
import { makeServingState } from '@halyard/plane/serving/state/serving.ts';
import { expect, test } from 'vitest';
import { makeFeedSource } from './feed-source.ts';
import { buildSnapshot, FEED, featureRow, SDK_TOKEN, tokenRow } from './test/hostile-upstream.ts';

test('applies the snapshot of a new epoch even if a token lookup runs between taking and applying it', async () => {
  const findNoToken = async (hash: string) =>
    ({ v: 1, feed: FEED, epoch: 'new', log: 'token', rev: 1, hash, token: null }) as const;
  const feed = makeFeedSource(FEED, 'edge', findNoToken, () => []);
  const state = makeServingState(feed.source);
  feed.takeSnapshot(buildSnapshot({ revision: 90, features: [featureRow('lost', 90)] }));
  await state.refresh();
  await state.load('production');
  const restoredSnapshot = buildSnapshot({ epoch: 'new', revision: 1, tokenRevision: 1 });
  feed.takeSnapshot({ ...restoredSnapshot, features: [featureRow('restored', 1)] });

  // The lookup notices the new epoch and reads its tokens, while the flags are still from the old epoch.
  await state.tokens.find('0'.repeat(64), 'network');
  expect(state.tokens.epoch).toBe('new');
  await state.refresh();

  const token = state.tokens.findCached(SDK_TOKEN);
  const scope = token && state.findScope(token);
  expect(scope && [...scope.current.features.keys()]).toEqual(['restored']);
});

test("a tokens frame that starts before the edge's own revision is a gap, because it omits tokens created and revoked in its range", () => {
  const feed = makeFeedSource(
    FEED,
    'edge',
    () => Promise.reject(new Error('There are no lookups')),
    () => [],
  );
  feed.takeSnapshot(buildSnapshot({ tokenRevision: 6 }));
  const take = (prev: number, rev: number) =>
    feed.take({ v: 1, feed: FEED, log: 'tokens', epoch: 'a', prev, rev, revs: [] });

  expect(take(5, 7)).toBe('gap');
  expect(take(7, 8)).toBe('gap');
  expect(take(5, 6)).toBe('known');
  expect(take(6, 7)).toBe('applied');
});

test("a snapshot that lists the edge's own token as revoked is a signed revocation", async () => {
  const feed = makeFeedSource(
    FEED,
    'edge',
    () => Promise.reject(new Error('There are no lookups')),
    () => [],
  );
  feed.takeSnapshot(buildSnapshot({ endedTokens: [hash('sha256', 'other')] }));
  expect(feed.isRevoked).toBe(false);

  feed.takeSnapshot(buildSnapshot({ tokenRevision: 6, endedTokens: [hash('sha256', 'edge')] }));

  expect(feed.isRevoked).toBe(true);
  expect(await feed.source.tokens()).toMatchObject({ tokens: [] });
});

test("accepts a feed with fewer projects only if that feed lists the edge's own token, and then rejects the larger feed", () => {
  const lookUp = () => Promise.reject(new Error('There are no lookups'));
  const feed = makeFeedSource({ ...FEED, projects: ['a', 'b'] }, 'edge', lookUp, () => []);
  const feedOfBoth = (revision: number) =>
    buildSnapshot({ revision, feed: { ...FEED, projects: ['a', 'b'] } });
  const feedOfA = (revision: number, tokens: string[]) =>
    buildSnapshot({
      revision,
      feed: { ...FEED, projects: ['a'] },
      tokens: tokens.map(token => tokenRow(token)),
    });
  feed.takeSnapshot(feedOfBoth(5));

  // A genuine snapshot, but for an edge that was enrolled for project a only.
  expect(() => feed.takeSnapshot(feedOfA(6, ['other']))).toThrow('it does not belong to this edge token');
  expect(feed.position?.revision).toBe(5);

  // Project b was archived. A recording from before the archiving must not bring project b back.
  expect(feed.takeSnapshot(feedOfA(6, ['other', 'edge']))).toBe(true);
  for (const revision of [5, 6]) expect(feed.takeSnapshot(feedOfBoth(revision))).toBe(false);
  expect(feed.position?.revision).toBe(6);
});
