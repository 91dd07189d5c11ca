import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Registry } from 'prom-client';
import { blockOf, type EdgeStream, GAP, makeEdgeStreams } from '../../plane/src/feed/edge-streams.ts';
import type { Feeds } from '../../plane/src/feed/feeds.ts';
import { type Position, positionText } from '../../plane/src/feed/publisher.ts';
import { HEAD_EVERY_MS } from '../../plane/src/feed/streams.ts';
import { makeShares } from '../../plane/src/platform/admission/shares.ts';
import { ApiError, badData, tooManyRequests } from '../../plane/src/platform/errors.ts';
import { busy } from '../../plane/src/serving/admission.ts';
import type { ServingState } from '../../plane/src/serving/state/serving.ts';
import type { Feed } from '../../plane/src/snapshot/format.ts';
import { continues, type FeedCopy } from './feed-copy.ts';
import type { FeedSource } from './feed-source.ts';
import type { Trust } from './trust.ts';
import { type SignedAnswer, type Upstream, UpstreamError } from './upstream.ts';

/** Reports that are passed on at a time. The edges that sent them keep what they contain until they are accepted. */
const REPORTS = { capacity: 16, share: 0.6, waiting: 200, waitingPerCaller: 50, waitMs: 3_000 };
/** Edges that may pass on a report one after the other. */
const MAX_PATH = 16;
const HEARTBEAT = ':\n\n';
/** An edge that reads nothing for this long while it catches up is cut off. */
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
  ask: (hash: string) => Promise<SignedAnswer>;
  metrics: Registry;
};

/** Feeds other edges with the bytes that arrived, which a server signed. This edge can neither alter nor narrow them. */
export function makeRelay({ id, state, feed, enrolled, copy, trust, upstream, ask, metrics }: Parts): Feeds {
  const edges = makeEdgeStreams(state.tokens, metrics);
  const reports = makeShares(REPORTS, holder => busy(holder, 'reports of edges'));
  /** Streams that have every frame before the next one. */
  const live = new Set<EdgeStream>();

  copy.onText(text => {
    for (const stream of live) edges.write(stream, blockOf(text));
  });
  const stopListening = state.onTokens(edges.endInvalid);
  const beating = setInterval(() => {
    if (feed.isRevoked) edges.endAll();
    edges.endInvalid();
    for (const stream of live) {
      edges.write(stream, HEARTBEAT);
      edges.dismissIfDue(stream);
    }
  }, HEAD_EVERY_MS).unref();

  /** A head that is older would make an edge believe that what it has is current. */
  const recentHead = (): string | undefined => {
    const { head } = copy;
    return head && performance.now() - head.at < HEAD_EVERY_MS ? head.text : undefined;
  };

  /** Sends what the edge lacks, as fast as it reads. From then on, it gets everything as it arrives. */
  const begin = async (stream: EdgeStream, from: Position | undefined): Promise<void> => {
    const { raw } = stream;
    for (const text of trust.announcements) raw.write(blockOf(text));
    if (!continues(copy.snapshot?.position, from)) raw.write(blockOf(GAP));
    let sent = 0;
    for (let next = copy.next(sent, from); next && !raw.destroyed; next = copy.next(sent, from)) {
      sent = next.number;
      if (!raw.write(blockOf(next.text))) await drained(raw);
    }
    if (raw.destroyed) return;
    const head = recentHead();
    if (head !== undefined) raw.write(blockOf(head));
    live.add(stream);
    edges.dismissIfDue(stream);
  };

  return {
    accepts: `This edge feeds edges whose token is for exactly its own feed: environment "${enrolled.environment}" and ${
      enrolled.projects === null ? 'all projects' : `projects ${JSON.stringify(enrolled.projects)}`
    }. For a different feed, use the URL of a server.`,
    shares: edges.shares,
    head: () => {
      const head = recentHead();
      if (head === undefined) throw unavailable('This edge does not hear from its server. Retry later.');
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
    open: (reply, token, from, headers) => {
      const stream = edges.accept(reply, token, headers);
      if (!stream) return;
      stream.raw.once('close', () => live.delete(stream));
      begin(stream, from).catch(() => stream.raw.destroy());
    },
    answer: async (_token, hash) => {
      const { text } = await ask(hash).catch(error => {
        throw unavailable('This edge cannot look up the token now. Retry later.', error);
      });
      return text;
    },
    revocation: async hash => {
      if (feed.isRevoked) throw unavailable('The token of this edge was revoked, so it feeds nobody.');
      const answer = await ask(hash).catch(() => undefined);
      return answer?.ended === true ? answer.text : undefined;
    },
    report: async (token, report, { secret, path }) => {
      if (report.edge === id || path.includes(id))
        throw new ApiError(
          'ConflictError',
          `Edge "${id}" reads from itself through other edges. Correct its HALYARD_EDGE_UPSTREAM.`,
        );
      if (path.length >= MAX_PATH)
        throw new ApiError(
          'ConflictError',
          `The report has passed ${path.length} edges, which is the maximum.`,
        );
      const release = await reports.acquire(`${token.id}`);
      try {
        // With the edge's own token: the server counts each batch of each edge once.
        return await upstream.report(report, { secret, path: [...path, id] });
      } catch (error) {
        throw rejectionOf(error);
      } finally {
        release();
      }
    },
    close: async () => {
      clearInterval(beating);
      stopListening();
      await edges.close();
    },
  };
}

/** Waits until the edge has read what was written, or is gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const stalled = setTimeout(() => raw.destroy(), STALLED_AFTER_MS);
    const done = (): void => {
      clearTimeout(stalled);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
  });
}

/** What upstream rejected for its content is rejected here too. Everything else can be sent again. */
function rejectionOf(error: unknown): ApiError {
  if (!(error instanceof UpstreamError)) return unavailable('This edge does not reach its server.', error);
  const { status } = error;
  const message = error.explanation || error.message;
  if (status === 400) return badData([{ message, path: '/body' }]);
  if (status === 409) return new ApiError('ConflictError', message);
  if (status === 413) return new ApiError('PayloadTooLargeError', message);
  if (status === 429) return tooManyRequests(message, RETRY_AFTER_SECONDS);
  return unavailable(message, error);
}
