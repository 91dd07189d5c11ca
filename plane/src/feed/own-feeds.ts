import type { Registry } from 'prom-client';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { isOfFeed, tokenRow } from '../snapshot/take.ts';
import { announcementOf } from './announcement.ts';
import type { Feeds } from './feeds.ts';
import { FRAME_VERSION, type Revoked, type TokenAnswer } from './frames.ts';
import { feedOf, makeSnapshots, signedHead } from './publisher.ts';
import type { EdgeReport, EdgeReportResult } from './report.ts';
import { signed } from './signed.ts';
import { makeFeedStreams } from './streams.ts';

export type OwnFeedSettings = {
  key: SigningKey;
  /** The key before, which edges may still trust instead. */
  previousKey: SigningKey | undefined;
  metrics: Registry;
  takeReport: (token: SdkToken, report: EdgeReport) => Promise<EdgeReportResult>;
};

/** The feeds of a server, which signs them. */
export function makeOwnFeeds(
  state: ServingState,
  { key, previousKey, metrics, takeReport }: OwnFeedSettings,
): Feeds {
  const streams = makeFeedStreams(state, key, announcementOf(key, previousKey), metrics);
  const snapshotOf = makeSnapshots(state, key);
  return {
    head: token => signedHead(state, feedOf(token), key),
    snapshot: async token => {
      const { etag, plain, gzip } = await snapshotOf(feedOf(token));
      return { etag, plain: () => plain, gzip };
    },
    open: streams.open,
    answer: async (edge, asked, network) => {
      const feed = feedOf(edge);
      const found = await state.tokens.find(asked, network);
      const answer: TokenAnswer = {
        v: FRAME_VERSION,
        feed,
        log: 'token',
        epoch: state.tokens.epoch ?? '',
        rev: state.tokens.revision,
        hash: asked,
        token: found && isOfFeed(found, feed) ? tokenRow(found) : null,
        ...(!found && state.tokens.hasEnded(asked) && { ended: true }),
      };
      return signed(answer, key);
    },
    revocation: async hash => {
      const revoked: Revoked = { v: FRAME_VERSION, log: 'revoked', hash };
      return signed(revoked, key);
    },
    report: takeReport,
    accepts: undefined,
    shares: streams.shares,
    close: streams.close,
  };
}
