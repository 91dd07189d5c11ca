import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import type { Shares } from '../../platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '../../platform/errors.ts';
import { makeOpenStreams } from '../../platform/http/output/open-streams.ts';
import { spreadRetryMs } from '../../platform/http/output/server-sent-events.ts';
import type { KnownClient, Positions, ReconnectClients } from '../positions.ts';
import type { Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { makeFanOut } from './fan-out.ts';
import { COMMENT, commentFrame, makeFrames, retryFrame } from './frames.ts';
import { makeHydrationLimit } from './hydration-limit.ts';
import { makeLargeFrames } from './large-frames.ts';
import type { StreamLimits } from './limits.ts';
import { registerStreamMetrics, type StreamCounts } from './metrics.ts';
import { endAfterFirstEvent } from './never-polls.ts';
import { makeStreamSlots } from './slots.ts';
import { type Group, isBehind, makeGroup, type Stream } from './stream.ts';

const SWEEP_MS = 1_000;
/** After SIGTERM, a process has 9 s to exit. */
const END_WITHIN_MS = 6_000;
/** A client that must reconnect to confirm its revision does so after 50 to 100 ms. */
const RETURN_MS = 100;
/** A client that gets this value reconnects after 1 to 6 s. */
const RETRY_MS = { min: 2_000, max: 6_000 };

export type Client = {
  token: SdkToken;
  /** The id chosen by the SDK when it started. */
  connectionId: string | undefined;
  /** The revision of the scope that the client already has. */
  revision: number | undefined;
  /** Whether the client never polls, in which case it gets one event instead of a 429 if there is no slot. */
  neverPolls: boolean;
  knownClient?: KnownClient | undefined;
};

export type Streams = {
  /** Sends the response head and the first event. Throws 429 if the client has to poll, and 503 if it has to retry. */
  open: (reply: FastifyReply, scope: Scope, client: Client, head: string[]) => void;
  /** Returns whether to invite a polling client to stream, because it was rejected before and a slot is free again. */
  invite: (token: SdkToken, connectionId: string | undefined) => boolean;
  reconnect: ReconnectClients;
  /** Ends all streams, spread over a few seconds. */
  close: () => Promise<void>;
};

export function makeStreams(
  state: ServingState,
  limits: StreamLimits,
  shares: Shares,
  registry: Registry,
  positions: Pick<Positions, 'streamOpened' | 'streamClosed' | 'confirmCurrent'>,
): Streams {
  const openStreams = makeOpenStreams<Stream>(
    {
      isClosed: ({ socket }) => socket.destroyed,
      unread: ({ socket }) => socket.writableLength,
      write: ({ socket }, bytes) => {
        counts.bytes += bytes.length;
        socket.write(bytes);
      },
      end: ({ socket }) => socket.destroySoon(),
      destroy: ({ socket }) => socket.destroy(),
      heartbeat: ({ largeFrame }) => (largeFrame === 'in flight' ? undefined : COMMENT),
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
  const buildFrame = makeFrames(state);

  const getOrCreateGroup = (scope: Scope): Group => {
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
    openStreams.remove(stream);
    leaveGroup(stream);
    largeFrames.remove(stream);
    const tokenStreams = tokens.get(stream.token);
    tokenStreams?.delete(stream);
    if (tokenStreams?.size === 0) tokens.delete(stream.token);
  };

  const end = ({ socket, largeFrame }: Stream, reason: string): void => {
    if (largeFrame !== 'in flight' && !socket.destroyed) socket.write(commentFrame(reason));
    socket.destroySoon();
  };

  /** Records that the client is at the current revision once it has read the frame. */
  const countAsSent = (stream: Stream, { length }: Buffer): void => {
    const { scope } = stream.group;
    const { epoch } = scope.current;
    if (stream.epoch !== epoch) {
      counts.hydrations++;
      stream.confirmedRevision = -1;
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
    if (stream.endsAfterFirstEvent && !stream.isNew) return;
    if (stream.largeFrame !== 'none' || !isBehind(stream) || !socket.writable) return;
    if (openStreams.cutOffIfSlow(stream)) return;
    const frame = buildFrame(stream);
    if (frame.length > limits.largeFrameBytes) {
      largeFrames.add(stream);
      return;
    }
    countAsSent(stream, frame);
    socket.write(frame);
    if (stream.endsAfterFirstEvent) endAfterFirstEvent(socket);
  };

  const takeLargeFrame = (stream: Stream): Buffer => {
    // Built only now, because changes may have arrived while the stream was waiting.
    const frame = buildFrame(stream);
    countAsSent(stream, frame);
    return frame;
  };

  const onLargeFrameRead = (stream: Stream): void => {
    if (stream.endsAfterFirstEvent) endAfterFirstEvent(stream.socket);
    else catchUp(stream);
  };

  const largeFrames = makeLargeFrames(limits, takeLargeFrame, onLargeFrameRead, openStreams.cutOff);

  const observeDelay = registerStreamMetrics(registry, counts, {
    open: () => openStreams.all.size,
    waiting: () => largeFrames.waiting,
    limit: limits.streams,
  });
  const fanOut = makeFanOut(catchUp, group => observeDelay((performance.now() - group.changedAt) / 1_000));

  /** Ends the streams of tokens that are no longer valid, and hydrates the streams of tokens whose projects changed. */
  const checkTokens = (): void => {
    for (const [token, streams] of tokens) {
      if (!state.tokens.isValid(token)) {
        for (const stream of streams) end(stream, 'the token is no longer valid');
        continue;
      }
      token.used = true;
      const scope = state.findScope(token);
      const [first] = streams;
      if (!scope || !first || first.group.scope.id === scope.id) continue;
      const group = getOrCreateGroup(scope);
      for (const stream of streams) {
        leaveGroup(stream);
        stream.group = group;
        stream.epoch = '';
        group.streams.add(stream);
      }
      fanOut.add(group);
    }
  };

  const sweepTimer = setInterval(() => {
    checkTokens();
    largeFrames.sweep();
  }, SWEEP_MS);
  sweepTimer.unref();
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
    // A pipelined request has no socket until the response to the request before it is complete.
    if (!socket?.writable) throw unavailable();
    // Checked before `admit`, which could remember a client over the limit, so that it is later invited and hydrates again.
    checkHydrations(client, scope);
    const slot = slots.admit(token, connectionId);
    if (!slot && !client.neverPolls) throw tooMany(limits.streams);
    const stream: Stream = {
      socket,
      token,
      group: getOrCreateGroup(scope),
      epoch: revision === undefined ? '' : scope.current.epoch,
      revision: revision ?? 0,
      knownClient: client.knownClient,
      confirmedRevision: revision ?? -1,
      isNew: true,
      endsAfterFirstEvent: !slot,
      largeFrame: 'none',
    };
    openStreams.add(stream);
    stream.group.streams.add(stream);
    const tokenStreams = tokens.get(token) ?? new Set();
    tokens.set(token, tokenStreams.add(stream));
    if (client.knownClient) positions.streamOpened(client.knownClient);
    socket.once('close', () => {
      remove(stream);
      if (client.knownClient) positions.streamClosed(client.knownClient);
      slot?.();
    });
    reply.hijack();
    // The stream ends with its connection, so frames need no chunk lengths and go to the socket as they are.
    raw.useChunkedEncodingByDefault = false;
    socket.cork();
    raw.writeHead(200, head).flushHeaders();
    catchUp(stream);
    // A connection can be accepted just before the server closes its port. Its stream opens and then ends, because a client
    // reconnects sooner after the end of a stream than after an error.
    if (openStreams.isClosing) openStreams.dismiss(stream);
    socket.uncork();
  };

  const reconnect: ReconnectClients = (isDue, max) => {
    let endedStreamCount = 0;
    for (const stream of openStreams.all) {
      const { knownClient, socket, group, confirmedRevision, epoch } = stream;
      const { scope } = group;
      if (!knownClient || stream.endsAfterFirstEvent || stream.largeFrame !== 'none' || !socket.writable)
        continue;
      if (confirmedRevision === scope.revision && epoch === scope.current.epoch) {
        positions.confirmCurrent(knownClient, scope);
        continue;
      }
      // A client that is still behind would reconnect with an old revision.
      if (endedStreamCount >= max || isBehind(stream) || !isDue(knownClient, scope.environment)) continue;
      endedStreamCount++;
      socket.write(retryFrame(RETURN_MS));
      socket.destroySoon();
    }
  };

  const close = async (): Promise<void> => {
    await openStreams.close();
    clearInterval(sweepTimer);
    fanOut.stop();
    for (const stop of stopListening) stop();
  };

  return {
    open: openStream,
    reconnect,
    invite: (token, connectionId) => largeFrames.waiting === 0 && slots.invite(token, connectionId),
    close,
  };
}

const unavailable = (): ApiError =>
  new ApiError('ServiceUnavailableError', 'The server cannot open a stream on this connection now. Retry.');

const tooMany = (max: number): ApiError =>
  tooManyRequests(
    `Too many streams: this server accepts at most ${max.toLocaleString('en')} and reserves some for other tokens. Poll GET /api/client/features instead.`,
    60,
  );
