import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { makeShares, type Release, type Shares } from '../platform/admission/shares.ts';
import { makeOpenStreams } from '../platform/http/output/open-streams.ts';
import { eventBlock, spreadRetryMs } from '../platform/http/output/server-sent-events.ts';
import { busyError } from '../serving/admission.ts';
import type { SdkToken, Tokens } from '../serving/tokens/tokens.ts';
import { feedKey, toFeed } from './publisher.ts';

/** Streams end after an hour minus up to 10 %, so that edges move to new servers, but not all at the same moment. */
const END_AFTER_MS = { min: 3_240_000, max: 3_600_000 };
const RETRY_MS = { min: 100, max: 1_000 };
const LIMITS = { unreadBytes: 1_048_576, endWithinMs: 3_000 };
/** One token gets at most 60 % of the edge streams that other tokens leave free. */
const STREAM_SHARES = { capacity: 2_000, share: 0.6, waiting: 0, waitingPerCaller: 0, waitMs: 0 };

/** Tells an edge, without a signature, to read the snapshot, because the next frames do not continue from its position. */
export const GAP = 'gap';

export type EdgeStream = {
  readonly raw: ServerResponse;
  readonly token: SdkToken;
  /** The feed that the token named when the stream was opened. */
  readonly feed: string;
  readonly endsAt: number;
  readonly release: Release;
};

export type EdgeStreams = {
  readonly shares: Shares;
  /** Accepts a stream. Returns undefined if the edge is gone. Throws 429 or 503 if there are too many streams. */
  accept: (reply: FastifyReply, token: SdkToken, headers: string[]) => EdgeStream | undefined;
  /** Writes, unless the edge is gone or reads too slowly. */
  write: (stream: EdgeStream, blocks: string) => void;
  /** Ends the stream if the server is stopping or the stream is an hour old. The edge reconnects. */
  dismissIfDue: (stream: EdgeStream) => void;
  /** Ends streams whose token was revoked or now belongs to a different feed. */
  endInvalid: () => void;
  endAll: () => void;
  close: () => Promise<void>;
};

/** Formats a frame as one block of a stream. A frame has two lines: the JSON and its signature. */
export const formatBlock = (frame: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${frame
    .split('\n')
    .map(line => `data: ${line}\n`)
    .join('')}\n`;

const end = ({ raw }: EdgeStream): void => {
  if (raw.writableEnded) raw.destroy();
  else raw.end();
};

/** Manages the open edge streams, independent of what is written to them. */
export function makeEdgeStreams(tokens: Tokens, registry: Registry): EdgeStreams {
  const shares = makeShares(STREAM_SHARES, holder => busyError(holder, 'edge streams'));
  const openStreams = makeOpenStreams<EdgeStream>(
    {
      isClosed: ({ raw }) => raw.destroyed || raw.writableEnded,
      unread: ({ raw }) => raw.writableLength,
      write: ({ raw }, bytes) => raw.write(bytes),
      end: ({ raw }) => raw.end(),
      destroy: ({ raw }) => raw.destroy(),
      heartbeat: () => undefined,
      farewell: () => eventBlock({ retryMs: spreadRetryMs(RETRY_MS) }),
    },
    LIMITS,
  );
  new Gauge({
    name: 'halyard_edge_streams',
    help: 'Open edge streams',
    registers: [registry],
    collect() {
      this.set(openStreams.all.size);
    },
  });

  return {
    shares,
    accept: (reply, token, headers) => {
      const release = shares.take(`${token.id}`);
      const { raw } = reply.hijack();
      if (raw.destroyed) {
        release();
        return undefined;
      }
      const endsAt = performance.now() + spreadRetryMs(END_AFTER_MS);
      const stream: EdgeStream = { raw, token, feed: feedKey(toFeed(token)), endsAt, release };
      openStreams.add(stream);
      raw.once('close', () => {
        openStreams.remove(stream);
        release();
      });
      raw.writeHead(200, headers);
      return stream;
    },
    write: openStreams.write,
    dismissIfDue: stream => {
      if (openStreams.isClosing || performance.now() > stream.endsAt) openStreams.dismiss(stream);
    },
    endInvalid: () => {
      for (const stream of openStreams.all)
        if (!tokens.isValid(stream.token) || feedKey(toFeed(stream.token)) !== stream.feed) end(stream);
    },
    endAll: () => {
      for (const stream of openStreams.all) end(stream);
    },
    close: openStreams.close,
  };
}
