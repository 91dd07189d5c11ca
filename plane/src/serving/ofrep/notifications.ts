import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Release } from '../../platform/admission/shares.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { makeOpenStreams, TO_RESPONSE } from '../../platform/http/output/open-streams.ts';
import { eventBlock, spreadRetryMs } from '../../platform/http/output/server-sent-events.ts';
import type { SdkAdmission } from '../admission.ts';
import { listProjects, type Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';

const TICK_MS = 50;
/**
 * Every notification makes a page evaluate all its flags. This limit uses half of what one processor can evaluate, and leaves the
 * rest for other requests.
 */
const FLAGS_PER_TICK = 25_000;
/** A request has a fixed cost beyond its flags. */
const MIN_COUNTED_FLAGS = 100;
/** Comparing the revision of a stream takes as long as evaluating this many flags. */
const FLAGS_PER_COMPARISON = 5;
const CHECK_TOKENS_MS = 500;
const LIMITS = { unreadBytes: 65_536, endWithinMs: 6_000 };
const COMMENT = eventBlock({ comment: '' });
/** Each client reconnects after a random delay of 2 to 6 s. */
const RETRY_MS = { min: 2_000, max: 6_000 };

export type Notifications = {
  /** Opens a stream that says when to evaluate again. Throws 429 if there are too many streams. */
  open: (
    reply: FastifyReply,
    client: { token: SdkToken; caller: string; lastEventId: string | undefined },
    headers: string[],
  ) => void;
  close: () => Promise<void>;
};

type Stream = {
  raw: ServerResponse;
  token: SdkToken;
  /** Releases the stream's slot. */
  release: Release;
  /** The position that the client was last notified of. */
  sentPosition: string | undefined;
};

/** Streams for pages that use OpenFeature. A stream only announces that flags changed, and contains no flags. */
export function makeNotifications(
  state: ServingState,
  { streams: tokenSlots, pageStreams: callerSlots }: Pick<SdkAdmission, 'streams' | 'pageStreams'>,
  metrics: Registry,
): Notifications {
  const openStreams = makeOpenStreams<Stream>(
    {
      ...TO_RESPONSE,
      heartbeat: () => COMMENT,
      farewell: () => retryBlock(),
    },
    LIMITS,
  );
  const streams = openStreams.all;
  const pending = new Set<Stream>();
  let tickTimer: NodeJS.Timeout | undefined;

  new Gauge({
    name: 'halyard_sdk_ofrep_streams',
    help: 'Open streams to pages that use OpenFeature',
    registers: [metrics],
    collect() {
      this.set(streams.size);
    },
  });

  /** Takes a stream's slots, and leaves some for other tokens and for visitors in other networks. */
  const takeSlots = (token: SdkToken, caller: string): Release | undefined => {
    const tokenSlot = tokenSlots.tryAcquire(`${token.id}`);
    const callerSlot = tokenSlot && callerSlots.tryAcquire(caller);
    if (!callerSlot) return void tokenSlot?.();
    return () => {
      tokenSlot();
      callerSlot();
    };
  };

  const remove = (stream: Stream): void => {
    openStreams.remove(stream);
    pending.delete(stream);
    stream.release();
  };

  /** Sends notifications for as many evaluations as the server can handle until the next tick. */
  const tick = (): void => {
    tickTimer = undefined;
    let flagCount = 0;
    for (const stream of pending) {
      if (flagCount >= FLAGS_PER_TICK) break;
      pending.delete(stream);
      const scope = state.findScope(stream.token);
      if (!scope) continue;
      const position = positionIn(scope);
      flagCount += FLAGS_PER_COMPARISON;
      if (position === stream.sentPosition) continue;
      flagCount += Math.max(MIN_COUNTED_FLAGS, estimateFlags(scope));
      stream.sentPosition = position;
      const data = JSON.stringify({ type: 'refetchEvaluation', etag: position });
      openStreams.write(stream, eventBlock({ id: position, data }));
    }
    schedule();
  };

  const schedule = (): void => {
    if (pending.size > 0 && tickTimer === undefined && !openStreams.isClosing)
      tickTimer = setTimeout(tick, TICK_MS);
  };

  const stopListening = state.onChange(environment => {
    for (const stream of streams) if (stream.token.environment === environment) pending.add(stream);
    schedule();
  });
  const stopListeningToTokens = state.onTokens(() => {
    for (const stream of streams) pending.add(stream);
    endInvalid();
    schedule();
  });

  const endInvalid = (): void => {
    for (const stream of streams) if (!state.tokens.isValid(stream.token)) TO_RESPONSE.end(stream);
  };
  const validityTimer = setInterval(endInvalid, CHECK_TOKENS_MS).unref();

  return {
    open: (reply, { token, caller, lastEventId }, headers) => {
      const release = takeSlots(token, caller);
      if (!release) throw tooMany();
      const { raw } = reply.hijack();
      // The client left while the environment was being loaded.
      if (raw.destroyed) return release();
      const stream: Stream = { raw, token, release, sentPosition: lastEventId };
      openStreams.add(stream);
      raw.once('close', () => remove(stream));
      raw.writeHead(200, headers);
      raw.write(retryBlock());
      // A request can arrive just before the server closes its port. Its stream opens and ends, because after a 429 a page would
      // not retry for a minute.
      if (openStreams.isClosing) return openStreams.dismiss(stream);
      // Notifies immediately, because a change since the client's evaluation would otherwise go unnoticed.
      pending.add(stream);
      schedule();
    },
    close: async () => {
      stopListening();
      stopListeningToTokens();
      clearTimeout(tickTimer);
      await openStreams.close();
      clearInterval(validityTimer);
    },
  };
}

const retryBlock = (): string => eventBlock({ retryMs: spreadRetryMs(RETRY_MS) });

const tooMany = () =>
  tooManyRequests(
    'This token and network have no free stream slot, because the server reserves some for others. Poll instead.',
    60,
  );

export const positionIn = (scope: Scope): string => scope.etag.slice(1, -1);

/** Estimates the number of flags. Listing all features would cost more than everything else that a stream does. */
const estimateFlags = (scope: Scope): number =>
  listProjects(scope, scope.current).reduce((sum, { features }) => sum + features.length, 0);
