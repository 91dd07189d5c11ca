import type { Registry } from 'prom-client';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { belongsToFeed, toTokenRow } from '../snapshot/take.ts';
import { signAnnouncement } from './announcement.ts';
import type { Feeds } from './feeds.ts';
import { FRAME_VERSION, type RevokedFrame, type TokenFrame } from './frames.ts';
import { makeSnapshots, signHead, toFeed } from './publisher.ts';
import type { EdgeReport, EdgeReportResult } from './report.ts';
import { signJson } from './signed.ts';
import { makeFeedStreams } from './streams.ts';

export type OwnFeedSettings = {
  key: SigningKey;
  /** The previous key, which is the only one that some edges trust so far. */
  previousKey: SigningKey | undefined;
  metrics: Registry;
  takeReport: (token: SdkToken, report: EdgeReport) => Promise<EdgeReportResult>;
};

/** Creates the feeds of a server, which signs them. */
export function makeOwnFeeds(
  state: ServingState,
  { key, previousKey, metrics, takeReport }: OwnFeedSettings,
): Feeds {
  const streams = makeFeedStreams(state, key, signAnnouncement(key, previousKey), metrics);
  const getSnapshot = makeSnapshots(state, key);
  return {
    head: token => signHead(state, toFeed(token), key),
    snapshot: async token => {
      const { etag, plain, gzip } = await getSnapshot(toFeed(token));
      return { etag, plain: () => plain, gzip };
    },
    open: streams.open,
    lookUpToken: async (edge, tokenHash, network) => {
      const feed = toFeed(edge);
      const sdkToken = await state.tokens.find(tokenHash, network);
      const tokenFrame: TokenFrame = {
        v: FRAME_VERSION,
        feed,
        log: 'token',
        epoch: state.tokens.epoch ?? '',
        rev: state.tokens.revision,
        hash: tokenHash,
        token: sdkToken && belongsToFeed(sdkToken, feed) ? toTokenRow(sdkToken) : null,
        ...(!sdkToken && state.tokens.hasEnded(tokenHash) && { ended: true }),
      };
      return signJson(tokenFrame, key);
    },
    revocation: async hash => {
      const revoked: RevokedFrame = { v: FRAME_VERSION, log: 'revoked', hash };
      return signJson(revoked, key);
    },
    report: takeReport,
    accepts: undefined,
    shares: streams.shares,
    close: streams.close,
  };
}
