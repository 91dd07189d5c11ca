import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import type { Shares } from '../platform/admission/shares.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { type EdgeStream, formatBlock, makeEdgeStreams } from './edge-streams.ts';
import {
  feedKey,
  makePublication,
  type Position,
  type Publication,
  positionText,
  toFeed,
} from './publisher.ts';

/** An edge that receives nothing for three of these intervals reconnects. */
export const HEAD_EVERY_MS = 3_000;

type Group = { publication: Publication; streams: Set<EdgeStream> };

export type FeedStreams = {
  /** Brings the edge up to date and keeps it up to date. Throws 429 or 503 if there are too many streams. */
  open: (reply: FastifyReply, token: SdkToken, edgePosition: Position | undefined, headers: string[]) => void;
  close: () => Promise<void>;
  readonly shares: Shares;
};

/** Streams frames to edges, after announcing the keys. All edges of a feed get the same bytes, which are signed once. */
export function makeFeedStreams(
  state: ServingState,
  key: SigningKey,
  announcement: string,
  registry: Registry,
): FeedStreams {
  const groups = new Map<string, Group>();
  const edges = makeEdgeStreams(state.tokens, registry);

  /** Sends what changed. A head follows, which shows a gap if a frame was too large to send. */
  const advance = ({ publication, streams }: Group): void => {
    const positionBefore = positionText(publication.position);
    const frames = publication.advance();
    const id = positionText(publication.position);
    if (frames.length === 0 && id === positionBefore) return;
    const blocks = [...frames, publication.head()].map(frame => formatBlock(frame, id)).join('');
    for (const stream of streams) edges.write(stream, blocks);
  };

  const getOrCreateGroup = (token: SdkToken): Group => {
    const feed = toFeed(token);
    const existing = groups.get(feedKey(feed));
    if (existing) {
      advance(existing);
      return existing;
    }
    const group = { publication: makePublication(state, feed, key), streams: new Set<EdgeStream>() };
    groups.set(feedKey(feed), group);
    return group;
  };

  const remove = (stream: EdgeStream): void => {
    const group = groups.get(stream.feed);
    group?.streams.delete(stream);
    if (group?.streams.size === 0) groups.delete(stream.feed);
  };

  const stopListening = [
    state.onChange(environment => {
      for (const group of groups.values())
        if (group.publication.feed.environment === environment) advance(group);
    }),
    state.onTokens(() => {
      for (const group of groups.values()) advance(group);
      // The last frame announced the revocation.
      edges.endInvalid();
    }),
  ];

  const heartbeat = setInterval(() => {
    edges.endInvalid();
    for (const { publication, streams } of groups.values()) {
      const block = formatBlock(publication.head(), positionText(publication.position));
      for (const stream of streams) {
        edges.write(stream, block);
        edges.dismissIfDue(stream);
      }
    }
  }, HEAD_EVERY_MS).unref();

  return {
    shares: edges.shares,
    open: (reply, token, edgePosition, headers) => {
      const stream = edges.accept(reply, token, headers);
      if (!stream) return;
      const { publication, streams } = getOrCreateGroup(token);
      streams.add(stream);
      stream.raw.once('close', () => remove(stream));
      const frames = [
        announcement,
        ...(edgePosition ? publication.catchUp(edgePosition) : []),
        publication.head(),
      ];
      const id = positionText(publication.position);
      stream.raw.write(frames.map(frame => formatBlock(frame, id)).join(''));
      edges.dismissIfDue(stream);
    },
    close: async () => {
      for (const stop of stopListening) stop();
      clearInterval(heartbeat);
      await edges.close();
    },
  };
}
