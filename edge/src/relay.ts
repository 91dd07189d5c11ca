import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type EdgeStream, formatBlock, GAP, makeEdgeStreams } from '@halyard/plane/feed/edge-streams.ts';
import type { Feeds } from '@halyard/plane/feed/feeds.ts';
import { type Position, positionText } from '@halyard/plane/feed/publisher.ts';
import { HEAD_EVERY_MS } from '@halyard/plane/feed/streams.ts';
import { makeShares } from '@halyard/plane/platform/admission/shares.ts';
import { ApiError, badData, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import { busyError } from '@halyard/plane/serving/admission.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import type { Feed } from '@halyard/plane/snapshot/format.ts';
import type { Registry } from 'prom-client';
import { canContinueFrom, type FeedCopy } from './feed-copy.ts';
import type { FeedSource } from './feed-source.ts';
import type { Trust } from './trust.ts';
import { type SignedTokenFrame, type Upstream, UpstreamError } from './upstream.ts';

/** How many reports are passed on at a time, and how many wait. The sending edges keep the content until it is accepted. */
const REPORTS = { capacity: 16, share: 0.6, waiting: 200, waitingPerCaller: 50, waitMs: 3_000 };
/** The maximum length of a chain of edges that pass on a report. */
const MAX_PATH_LENGTH = 16;
const HEARTBEAT = ':\n\n';
/** An edge that reads nothing for this long while it catches up is disconnected. */
const STALLED_AFTER_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

const decompress = promisify<Buffer, Buffer>(gunzip);

const unavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('ServiceUnavailableError', message, { cause });

type Parts = {
  /** The id of this edge. */
  id: string;
  state: ServingState;
  feed: FeedSource;
  enrolled: Feed;
  copy: FeedCopy;
  trust: Trust;
  upstream: Upstream;
  lookUp: (hash: string) => Promise<SignedTokenFrame>;
  metrics: Registry;
};

/** Passes the bytes that arrive on to other edges. A server signed them, so this edge can neither alter nor filter them. */
export function makeRelay({
  id,
  state,
  feed,
  enrolled: enrolledFeed,
  copy,
  trust,
  upstream,
  lookUp,
  metrics,
}: Parts): Feeds {
  const edges = makeEdgeStreams(state.tokens, metrics);
  const reports = makeShares(REPORTS, holder => busyError(holder, 'edge reports'));
  /** Streams that have received every frame so far. */
  const liveStreams = new Set<EdgeStream>();

  copy.onText(text => {
    for (const stream of liveStreams) edges.write(stream, formatBlock(text));
  });
  const stopListening = state.onTokens(edges.endInvalid);
  const heartbeat = setInterval(() => {
    if (feed.isRevoked) edges.endAll();
    edges.endInvalid();
    for (const stream of liveStreams) {
      edges.write(stream, HEARTBEAT);
      edges.dismissIfDue(stream);
    }
  }, HEAD_EVERY_MS).unref();

  /** Returns the last head only while it is recent, because an old head would make an edge believe that its state is current. */
  const recentHead = (): string | undefined => {
    const { head } = copy;
    return head && performance.now() - head.arrivedAt < HEAD_EVERY_MS ? head.text : undefined;
  };

  /** Sends what the edge lacks, as fast as the edge reads. From then on, the edge gets everything as it arrives. */
  const startStream = async (stream: EdgeStream, edgePosition: Position | undefined): Promise<void> => {
    const { raw } = stream;
    for (const text of trust.announcements) raw.write(formatBlock(text));
    if (!canContinueFrom(copy.snapshot?.position, edgePosition)) raw.write(formatBlock(GAP));
    let lastNumber = 0;
    for (
      let frame = copy.next(lastNumber, edgePosition);
      frame && !raw.destroyed;
      frame = copy.next(lastNumber, edgePosition)
    ) {
      lastNumber = frame.number;
      if (!raw.write(formatBlock(frame.text))) await waitForDrain(raw);
    }
    if (raw.destroyed) return;
    const head = recentHead();
    if (head !== undefined) raw.write(formatBlock(head));
    liveStreams.add(stream);
    edges.dismissIfDue(stream);
  };

  return {
    accepts: `This edge feeds only edges with exactly the same feed: environment "${enrolledFeed.environment}" and ${
      enrolledFeed.projects === null ? 'all projects' : `projects ${JSON.stringify(enrolledFeed.projects)}`
    }. For a different feed, use the URL of a server.`,
    shares: edges.shares,
    head: () => {
      const head = recentHead();
      if (head === undefined)
        throw unavailable('This edge has not heard from its server recently. Retry later.');
      return head;
    },
    snapshot: async () => {
      const { snapshot } = copy;
      if (!snapshot) throw unavailable('This edge has no flags yet. Retry later.');
      const { position, gzip } = snapshot;
      return {
        etag: `"${positionText(position)}"`,
        gzip: () => gzip,
        plain: async () => await decompress(await gzip),
      };
    },
    open: (reply, token, edgePosition, headers) => {
      const stream = edges.accept(reply, token, headers);
      if (!stream) return;
      stream.raw.once('close', () => liveStreams.delete(stream));
      startStream(stream, edgePosition).catch(() => stream.raw.destroy());
    },
    lookUpToken: async (_token, hash) => {
      const { text } = await lookUp(hash).catch(error => {
        throw unavailable('This edge cannot look up the token now. Retry later.', error);
      });
      return text;
    },
    revocation: async hash => {
      if (feed.isRevoked) throw unavailable("This edge's token was revoked, so it feeds no other edges.");
      const tokenFrame = await lookUp(hash).catch(() => undefined);
      return tokenFrame?.ended === true ? tokenFrame.text : undefined;
    },
    report: async (token, report, { secret, path }) => {
      if (report.edge === id || path.includes(id))
        throw new ApiError(
          'ConflictError',
          `Edge "${id}" reads from itself through other edges. Correct its HALYARD_EDGE_UPSTREAM.`,
        );
      if (path.length >= MAX_PATH_LENGTH)
        throw new ApiError(
          'ConflictError',
          `The report has already passed through ${path.length} edges, which is the maximum.`,
        );
      const release = await reports.acquire(`${token.id}`);
      try {
        // Passed on with the sending edge's token, because the server counts each batch of each edge once.
        return await upstream.report(report, { secret, path: [...path, id] });
      } catch (error) {
        throw toRejection(error);
      } finally {
        release();
      }
    },
    close: async () => {
      clearInterval(heartbeat);
      stopListening();
      await edges.close();
    },
  };
}

/** Waits until the edge has read what was written, or has disconnected. */
function waitForDrain(raw: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const stallTimer = setTimeout(() => raw.destroy(), STALLED_AFTER_MS);
    const finish = (): void => {
      clearTimeout(stallTimer);
      raw.off('drain', finish).off('close', finish);
      resolve();
    };
    raw.on('drain', finish).on('close', finish);
  });
}

/** If upstream rejected a report because of its content, so does this edge. After any other failure, the report can be sent again. */
function toRejection(error: unknown): ApiError {
  if (!(error instanceof UpstreamError)) return unavailable('This edge cannot reach its server.', error);
  const { status } = error;
  const message = error.explanation || error.message;
  if (status === 400) return badData([{ message, path: '/body' }]);
  if (status === 409) return new ApiError('ConflictError', message);
  if (status === 413) return new ApiError('PayloadTooLargeError', message);
  if (status === 429) return tooManyRequests(message, RETRY_AFTER_SECONDS);
  return unavailable(message, error);
}
