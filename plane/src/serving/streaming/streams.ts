import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import type { Shares } from '../../platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '../../platform/errors.ts';
import { makeOpenStreams } from '../../platform/http/output/open-streams.ts';
import { spreadRetryMs } from '../../platform/http/output/server-sent-events.ts';
import type { AskStreams, KnownClient, Positions } from '../positions.ts';
import type { Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { makeFanOut } from './fan-out.ts';
import { COMMENT, commentFrame, makeFrames, retryFrame } from './frames.ts';
import { makeHydrationLimit } from './hydration-limit.ts';
import { makeLargeFrames } from './large-frames.ts';
import type { StreamLimits } from './limits.ts';
import { type StreamCounts, streamMetrics } from './metrics.ts';
import { makeStreamSlots } from './slots.ts';
import { type Group, isBehind, makeGroup, type Stream } from './stream.ts';
import { endVisit } from './visits.ts';

const SWEEP_MS = 1_000;
/** A process has 9 s from SIGTERM to its end. */
const END_WITHIN_MS = 6_000;
/** A client that is asked what it has returns after 50 to 100 ms. */
const RETURN_MS = 100;
/** A client that gets these returns after 1 to 6 s. */
const RETRY_MS = { least: 2_000, most: 6_000 };

export type Client = {
  token: SdkToken;
  /** The id that the SDK chose when it started. */
  connectionId: string | undefined;
  /** The revision of the scope that the client has. */
  revision: number | undefined;
  /** Whether the client never polls, so that it gets one event instead of 429 if there is no slot. */
  neverPolls: boolean;
  known?: KnownClient | undefined;
};

export type Streams = {
  /** Sends the head of the response and the first event. Throws 429 if the client has to poll, and 503 if it has to retry. */
  open: (reply: FastifyReply, scope: Scope, client: Client, head: string[]) => void;
  /** Whether a client that polls is invited to stream, because it was rejected and there are slots again. */
  invite: (token: SdkToken, connectionId: string | undefined) => boolean;
  ask: AskStreams;
  /** Ends all streams, spread over some seconds. */
  close: () => Promise<void>;
};

export function makeStreams(
  state: ServingState,
  limits: StreamLimits,
  shares: Shares,
  registry: Registry,
  positions: Pick<Positions, 'opened' | 'closed' | 'stillCurrent'>,
): Streams {
  const open = makeOpenStreams<Stream>(
    {
      isClosed: ({ socket }) => socket.destroyed,
      unread: ({ socket }) => socket.writableLength,
      write: ({ socket }, bytes) => {
        counts.bytes += bytes.length;
        socket.write(bytes);
      },
      end: ({ socket }) => socket.destroySoon(),
      destroy: ({ socket }) => socket.destroy(),
      heartbeat: ({ largeFrame }) => (largeFrame === 'under way' ? undefined : COMMENT),
      farewell: () => retryFrame(spreadRetryMs(RETRY_MS)),
    },
    {
      unreadBytes: limits.bufferedBytes,
      endWithinMs: END_WITHIN_MS,
      heartbeatEveryMs: limits.commentsEveryMs,
    },
    () => counts.cutOff++,
  );
  const groups = new Map<string, Group>();
  const tokens = new Map<SdkToken, Set<Stream>>();
  const counts: StreamCounts = { frames: 0, bytes: 0, hydrations: 0, cutOff: 0 };
  const slots = makeStreamSlots(limits.streams, limits.invitedAfterMs, shares);
  const checkHydrations = makeHydrationLimit(limits);
  const frameFor = makeFrames(state);

  const groupOf = (scope: Scope): Group => {
    const group = groups.get(scope.id) ?? makeGroup(scope);
    groups.set(scope.id, group);
    return group;
  };

  const leaveGroup = (stream: Stream): void => {
    const { group } = stream;
    group.streams.delete(stream);
    if (group.streams.size === 0) groups.delete(group.scope.id);
  };

  const remove = (stream: Stream): void => {
    open.remove(stream);
    leaveGroup(stream);
    largeFrames.remove(stream);
    const ofToken = tokens.get(stream.token);
    ofToken?.delete(stream);
    if (ofToken?.size === 0) tokens.delete(stream.token);
  };

  const end = ({ socket, largeFrame }: Stream, why: string): void => {
    if (largeFrame !== 'under way' && !socket.destroyed) socket.write(commentFrame(why));
    socket.destroySoon();
  };

  /** Moves the client to the current revision, to which the frame brings it. */
  const countAsSent = (stream: Stream, { length }: Buffer): void => {
    const { scope } = stream.group;
    const { epoch } = scope.current;
    if (stream.epoch !== epoch) {
      counts.hydrations++;
      stream.confirmed = -1;
    }
    stream.revision = stream.epoch === epoch ? Math.max(stream.revision, scope.revision) : scope.revision;
    stream.epoch = epoch;
    stream.isNew = false;
    counts.frames++;
    counts.bytes += length;
  };

  /** Brings the client to the current revision, unless it is already there. */
  const catchUp = (stream: Stream): void => {
    const { socket } = stream;
    if (stream.isVisit && !stream.isNew) return;
    if (stream.largeFrame !== 'none' || !isBehind(stream) || !socket.writable) return;
    if (!open.keepsUp(stream)) return;
    const frame = frameFor(stream);
    if (frame.length > limits.largeFrameBytes) {
      largeFrames.add(stream);
      return;
    }
    countAsSent(stream, frame);
    socket.write(frame);
    if (stream.isVisit) endVisit(socket);
  };

  const takeLargeFrame = (stream: Stream): Buffer => {
    // Changes may have come since the stream began to wait.
    const frame = frameFor(stream);
    countAsSent(stream, frame);
    return frame;
  };

  const afterLargeFrame = (stream: Stream): void => {
    if (stream.isVisit) endVisit(stream.socket);
    else catchUp(stream);
  };

  const largeFrames = makeLargeFrames(limits, takeLargeFrame, afterLargeFrame, open.cutOff);

  const observe = streamMetrics(registry, counts, {
    open: () => open.all.size,
    waiting: () => largeFrames.waiting,
    limit: limits.streams,
  });
  const fanOut = makeFanOut(catchUp, group => observe((performance.now() - group.changedAt) / 1_000));

  /** Ends the streams of tokens that are no longer valid. The streams of a token whose projects changed hydrate. */
  const checkTokens = (): void => {
    for (const [token, streams] of tokens) {
      if (!state.tokens.isValid(token)) {
        for (const stream of streams) end(stream, 'the token is no longer valid');
        continue;
      }
      token.used = true;
      const scope = state.scopeOf(token);
      const [first] = streams;
      if (!scope || !first || first.group.scope.id === scope.id) continue;
      const group = groupOf(scope);
      for (const stream of streams) {
        leaveGroup(stream);
        stream.group = group;
        stream.epoch = '';
        group.streams.add(stream);
      }
      fanOut.add(group);
    }
  };

  const sweeping = setInterval(() => {
    checkTokens();
    largeFrames.sweep();
  }, SWEEP_MS);
  sweeping.unref();
  const stopListening = [
    state.onTokens(checkTokens),
    state.onChange(environment => {
      for (const group of groups.values()) if (group.scope.environment === environment) fanOut.add(group);
    }),
  ];

  const openStream: Streams['open'] = (reply, scope, client, head) => {
    const { token, connectionId, revision } = client;
    const { raw } = reply;
    const { socket } = raw;
    // A pipelined request, sent after another one on the same connection, has no socket yet.
    if (!socket?.writable) throw unavailable();
    // A client over the limit is not invited to stream again, because it would hydrate again.
    checkHydrations(client, scope);
    const slot = slots.admit(token, connectionId);
    if (!slot && !client.neverPolls) throw tooMany(limits.streams);
    const stream: Stream = {
      socket,
      token,
      group: groupOf(scope),
      epoch: revision === undefined ? '' : scope.current.epoch,
      revision: revision ?? 0,
      known: client.known,
      confirmed: revision ?? -1,
      isNew: true,
      isVisit: !slot,
      largeFrame: 'none',
    };
    open.add(stream);
    stream.group.streams.add(stream);
    const ofToken = tokens.get(token) ?? new Set();
    tokens.set(token, ofToken.add(stream));
    if (client.known) positions.opened(client.known);
    socket.once('close', () => {
      remove(stream);
      if (client.known) positions.closed(client.known);
      slot?.();
    });
    reply.hijack();
    // The stream ends with its connection, so frames need no lengths and go to the socket as they are.
    raw.useChunkedEncodingByDefault = false;
    socket.cork();
    raw.writeHead(200, head).flushHeaders();
    catchUp(stream);
    // The connection was accepted just before the server closed its port. A client that gets an error would wait longer.
    if (open.isClosing) open.dismiss(stream);
    socket.uncork();
  };

  const ask: AskStreams = (isDue, most) => {
    let asked = 0;
    for (const stream of open.all) {
      const { known, socket, group, confirmed, epoch } = stream;
      const { scope } = group;
      if (!known || stream.isVisit || stream.largeFrame !== 'none' || !socket.writable) continue;
      if (confirmed === scope.revision && epoch === scope.current.epoch) {
        positions.stillCurrent(known, scope);
        continue;
      }
      // A client that still lacks something would present too little.
      if (asked >= most || isBehind(stream) || !isDue(known, scope.environment)) continue;
      asked++;
      socket.write(retryFrame(RETURN_MS));
      socket.destroySoon();
    }
  };

  const close = async (): Promise<void> => {
    await open.close();
    clearInterval(sweeping);
    fanOut.stop();
    for (const stop of stopListening) stop();
  };

  return {
    open: openStream,
    ask,
    invite: (token, connectionId) => largeFrames.waiting === 0 && slots.invite(token, connectionId),
    close,
  };
}

const unavailable = (): ApiError =>
  new ApiError('ServiceUnavailableError', 'The server cannot open a stream on this connection now. Retry.');

const tooMany = (most: number): ApiError =>
  tooManyRequests(
    `Too many streams: this server has at most ${most.toLocaleString('en')}, and leaves room for other tokens. Poll GET /api/client/features instead.`,
    60,
  );
