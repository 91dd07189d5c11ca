import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Release } from '../../platform/admission/shares.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { makeOpenStreams, TO_RESPONSE } from '../../platform/http/output/open-streams.ts';
import { eventBlock, spreadRetryMs } from '../../platform/http/output/server-sent-events.ts';
import type { SdkAdmission } from '../admission.ts';
import { projectsOf, type Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';

const TICK_MS = 50;
/**
 * Every notification makes a page evaluate all its flags. This uses half of what one processor can evaluate, and leaves the rest
 * for other requests.
 */
const FLAGS_PER_TICK = 25_000;
/** A request has a fixed cost beyond its flags. */
const LEAST_FLAGS = 100;
/** Comparing the revision of a stream takes as long as evaluating this many flags. */
const COMPARING_FLAGS = 5;
const CHECK_TOKENS_MS = 500;
const LIMITS = { unreadBytes: 65_536, endWithinMs: 6_000 };
const COMMENT = eventBlock({ comment: '' });
/** Clients reconnect after 2 to 6 s, each after its own time. */
const RETRY_MS = { least: 2_000, most: 6_000 };

export type Notifications = {
  /** Opens a stream that says when to evaluate again. Throws 429 if there are too many. */
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
  /** Releases its slot. */
  release: Release;
  /** The position that the client was last notified of. */
  sent: string | undefined;
};

/** Streams for pages that use OpenFeature. A stream only says that flags changed. It contains no flags. */
export function makeNotifications(
  state: ServingState,
  { streams: ofToken, pageStreams: ofCaller }: Pick<SdkAdmission, 'streams' | 'pageStreams'>,
  metrics: Registry,
): Notifications {
  const open = makeOpenStreams<Stream>(
    {
      ...TO_RESPONSE,
      heartbeat: () => COMMENT,
      farewell: () => retryBlock(),
    },
    LIMITS,
  );
  const streams = open.all;
  const pending = new Set<Stream>();
  let ticking: NodeJS.Timeout | undefined;

  new Gauge({
    name: 'halyard_sdk_ofrep_streams',
    help: 'Open streams of pages that use OpenFeature',
    registers: [metrics],
    collect() {
      this.set(streams.size);
    },
  });

  /** Leaves slots for other tokens, and for visitors in other networks. */
  const takePlace = (token: SdkToken, caller: string): Release | undefined => {
    const first = ofToken.tryAcquire(`${token.id}`);
    const second = first && ofCaller.tryAcquire(caller);
    if (!second) return void first?.();
    return () => {
      first();
      second();
    };
  };

  const remove = (stream: Stream): void => {
    open.remove(stream);
    pending.delete(stream);
    stream.release();
  };

  /** Sends as many notifications as the server can evaluate until the next tick. */
  const tick = (): void => {
    ticking = undefined;
    let flags = 0;
    for (const stream of pending) {
      if (flags >= FLAGS_PER_TICK) break;
      pending.delete(stream);
      const scope = state.scopeOf(stream.token);
      if (!scope) continue;
      const position = positionIn(scope);
      flags += COMPARING_FLAGS;
      if (position === stream.sent) continue;
      flags += Math.max(LEAST_FLAGS, sizeOf(scope));
      stream.sent = position;
      const data = JSON.stringify({ type: 'refetchEvaluation', etag: position });
      open.write(stream, eventBlock({ id: position, data }));
    }
    schedule();
  };

  const schedule = (): void => {
    if (pending.size > 0 && ticking === undefined && !open.isClosing) ticking = setTimeout(tick, TICK_MS);
  };

  const stopListening = state.onChange(environment => {
    for (const stream of streams) if (stream.token.environment === environment) pending.add(stream);
    schedule();
  });
  const stopTokens = state.onTokens(() => {
    for (const stream of streams) pending.add(stream);
    endInvalid();
    schedule();
  });

  const endInvalid = (): void => {
    for (const stream of streams) if (!state.tokens.isValid(stream.token)) TO_RESPONSE.end(stream);
  };
  const checking = setInterval(endInvalid, CHECK_TOKENS_MS).unref();

  return {
    open: (reply, { token, caller, lastEventId }, headers) => {
      const release = takePlace(token, caller);
      if (!release) throw tooMany();
      const { raw } = reply.hijack();
      // The client left while the environment was loaded.
      if (raw.destroyed) return release();
      const stream: Stream = { raw, token, release, sent: lastEventId };
      open.add(stream);
      raw.once('close', () => remove(stream));
      raw.writeHead(200, headers);
      raw.write(retryBlock());
      // The request began just before the server closed its port. A page that gets 429 would not retry for a minute.
      if (open.isClosing) return open.dismiss(stream);
      // Notifies immediately, because a change since the client's evaluation would otherwise go unnoticed.
      pending.add(stream);
      schedule();
    },
    close: async () => {
      stopListening();
      stopTokens();
      clearTimeout(ticking);
      await open.close();
      clearInterval(checking);
    },
  };
}

const retryBlock = (): string => eventBlock({ retryMs: spreadRetryMs(RETRY_MS) });

const tooMany = () =>
  tooManyRequests(
    'The server has no free slot for this token and network, because it keeps some for others. Evaluate at an interval instead.',
    60,
  );

export const positionIn = (scope: Scope): string => scope.etag.slice(1, -1);

/** An estimate without listing all features, which would cost more than everything else that a stream does. */
const sizeOf = (scope: Scope): number =>
  projectsOf(scope, scope.current).reduce((sum, { features }) => sum + features.length, 0);
