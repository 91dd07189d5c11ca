import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { makeShares, type Release, type Shares } from '../platform/admission/shares.ts';
import { makeOpenStreams, TO_RESPONSE } from '../platform/http/output/open-streams.ts';
import { eventBlock, spreadRetryMs } from '../platform/http/output/server-sent-events.ts';
import { busy } from '../serving/admission.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import {
  feedKey,
  feedOf,
  makePublication,
  type Position,
  type Publication,
  positionText,
} from './publisher.ts';

/** An edge that receives nothing for three of these intervals reconnects. */
export const HEAD_EVERY_MS = 3_000;
/** An hour minus up to 10 %, so that edges move to new servers, but not all at the same moment. */
const END_AFTER_MS = { least: 3_240_000, most: 3_600_000 };
const RETRY_MS = { least: 100, most: 1_000 };
const LIMITS = { unreadBytes: 1_048_576, endWithinMs: 3_000 };
/** Streams of edges. One token gets at most 60 % of those that the others leave. */
const STREAMS = { capacity: 2_000, share: 0.6, waiting: 0, waitingPerCaller: 0, waitMs: 0 };

type Stream = { raw: ServerResponse; token: SdkToken; key: string; endsAt: number; release: Release };

type Group = { publication: Publication; streams: Set<Stream> };

export type FeedStreams = {
  /** Brings the edge up to date and keeps it up to date. Throws 429 or 503 if there are too many streams. */
  open: (reply: FastifyReply, token: SdkToken, from: Position | undefined, headers: string[]) => void;
  close: () => Promise<void>;
  readonly shares: Shares;
};

/** One block of a stream. A frame has two lines: the JSON and its signature. */
const blockOf = (frame: string, id: string): string =>
  `id: ${id}\n${frame
    .split('\n')
    .map(line => `data: ${line}\n`)
    .join('')}\n`;

/** Streams of frames to edges. All edges of a feed get the same bytes, which are signed once. */
export function makeFeedStreams(state: ServingState, key: SigningKey, registry: Registry): FeedStreams {
  const groups = new Map<string, Group>();
  const shares = makeShares(STREAMS, holder => busy(holder, 'streams of edges'));
  const open = makeOpenStreams<Stream>(
    {
      ...TO_RESPONSE,
      heartbeat: () => undefined,
      farewell: () => eventBlock({ retryMs: spreadRetryMs(RETRY_MS) }),
    },
    LIMITS,
  );
  new Gauge({
    name: 'halyard_edge_streams',
    help: 'Open streams of edges',
    registers: [registry],
    collect() {
      this.set(open.all.size);
    },
  });

  /** Sends what changed. A head follows, which shows a gap if a frame was too large to send. */
  const advance = ({ publication, streams }: Group): void => {
    const before = positionText(publication.position);
    const frames = publication.advance();
    const id = positionText(publication.position);
    if (frames.length === 0 && id === before) return;
    const blocks = [...frames, publication.head()].map(frame => blockOf(frame, id)).join('');
    for (const stream of streams) open.write(stream, blocks);
  };

  const groupOf = (token: SdkToken): Group => {
    const feed = feedOf(token);
    const known = groups.get(feedKey(feed));
    if (known) {
      advance(known);
      return known;
    }
    const group = { publication: makePublication(state, feed, key), streams: new Set<Stream>() };
    groups.set(feedKey(feed), group);
    return group;
  };

  const remove = (stream: Stream): void => {
    open.remove(stream);
    stream.release();
    const group = groups.get(stream.key);
    group?.streams.delete(stream);
    if (group?.streams.size === 0) groups.delete(stream.key);
  };

  /** The token was revoked, or its projects changed, which makes it a different feed. The last frame announced it. */
  const endInvalid = (): void => {
    for (const stream of open.all) {
      const { token, key: own } = stream;
      if (!state.tokens.isValid(token) || feedKey(feedOf(token)) !== own) TO_RESPONSE.end(stream);
    }
  };

  const stopListening = [
    state.onChange(environment => {
      for (const group of groups.values())
        if (group.publication.feed.environment === environment) advance(group);
    }),
    state.onTokens(() => {
      for (const group of groups.values()) advance(group);
      endInvalid();
    }),
  ];

  const beating = setInterval(() => {
    endInvalid();
    for (const { publication, streams } of groups.values()) {
      const block = blockOf(publication.head(), positionText(publication.position));
      for (const stream of streams) {
        open.write(stream, block);
        if (performance.now() > stream.endsAt) open.dismiss(stream);
      }
    }
  }, HEAD_EVERY_MS).unref();

  return {
    shares,
    open: (reply, token, from, headers) => {
      const release = shares.take(`${token.id}`);
      const { raw } = reply.hijack();
      if (raw.destroyed) return release();
      const { publication, streams } = groupOf(token);
      const endsAt = performance.now() + spreadRetryMs(END_AFTER_MS);
      const stream: Stream = { raw, token, key: feedKey(publication.feed), endsAt, release };
      open.add(stream);
      streams.add(stream);
      raw.once('close', () => remove(stream));
      raw.writeHead(200, headers);
      const frames = [...(from ? publication.catchUp(from) : []), publication.head()];
      const id = positionText(publication.position);
      raw.write(frames.map(frame => blockOf(frame, id)).join(''));
      if (open.isClosing) open.dismiss(stream);
    },
    close: async () => {
      for (const stop of stopListening) stop();
      clearInterval(beating);
      await open.close();
    },
  };
}
