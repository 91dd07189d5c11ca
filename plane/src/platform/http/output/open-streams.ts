import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Proxies close connections that are silent for 30 s or longer. */
const HEARTBEAT_MS = 15_000;
const TICK_MS = 100;
/** At shutdown, streams end at most this far apart, so a few streams take less time than `endWithinMs`. */
const END_INTERVAL_MS = 5;
const END_TICK_MS = 20;
const LAST_READ_MS = 500;

type Bytes = string | Buffer;

/** How a stream is written to a client: through a socket, a response, or a stream that Fastify sends. */
export type Transport<S> = {
  isClosed: (stream: S) => boolean;
  /** Bytes that the client has not read yet. */
  unread: (stream: S) => number;
  write: (stream: S, bytes: Bytes) => void;
  /** Ends the response after everything that was written. */
  end: (stream: S) => void;
  destroy: (stream: S) => void;
  /** The heartbeat, or undefined if the client still has unread data. */
  heartbeat: (stream: S) => Bytes | undefined;
  /** The last block of a stream when the server stops. */
  farewell: (stream: S) => Bytes;
};

/** For streams that are written to a response. */
export const TO_RESPONSE: Omit<Transport<{ raw: ServerResponse }>, 'heartbeat' | 'farewell'> = {
  isClosed: ({ raw }) => raw.destroyed || raw.writableEnded,
  unread: ({ raw }) => raw.writableLength,
  write: ({ raw }, bytes) => void raw.write(bytes),
  // A second call means that the client has not read the end of the stream.
  end: ({ raw }) => void (raw.writableEnded ? raw.destroy() : raw.end()),
  destroy: ({ raw }) => void raw.destroy(),
};

export type OpenStreamLimits = {
  /** A client with more unread bytes than this is cut off. It reconnects and resumes. */
  unreadBytes: number;
  /**
   * When the server stops, it ends the streams over this period, so that their clients do not all reconnect at the same moment.
   */
  endWithinMs: number;
  heartbeatEveryMs?: number;
};

export type OpenStreams<S> = {
  readonly all: Set<S>;
  add: (stream: S) => void;
  remove: (stream: S) => void;
  /** Writes, unless the client is gone or reads too slowly. */
  write: (stream: S, bytes: Bytes) => void;
  /** Cuts the client off if it reads too slowly, and returns whether it did. */
  cutOffIfSlow: (stream: S) => boolean;
  cutOff: (stream: S) => void;
  readonly isClosing: boolean;
  /** Ends a stream because the server stops. */
  dismiss: (stream: S) => void;
  /** Ends all streams, and waits a moment until their clients have read the end. */
  close: () => Promise<void>;
};

/** Manages the open streams of one kind: sends heartbeats, cuts off clients that read too slowly, and ends them at shutdown. */
export function makeOpenStreams<S>(
  transport: Transport<S>,
  { unreadBytes, endWithinMs, heartbeatEveryMs = HEARTBEAT_MS }: OpenStreamLimits,
  onCutOff: () => void = () => {},
): OpenStreams<S> {
  const all = new Set<S>();
  let isClosing = false;
  let stopHeartbeats: (() => void) | undefined;

  const sendHeartbeat = (stream: S): void => {
    const bytes = transport.heartbeat(stream);
    if (bytes !== undefined) write(stream, bytes);
  };

  const write = (stream: S, bytes: Bytes): void => {
    if (!transport.isClosed(stream) && !cutOffIfSlow(stream)) transport.write(stream, bytes);
  };

  const cutOff = (stream: S): void => {
    if (transport.isClosed(stream)) return;
    onCutOff();
    transport.destroy(stream);
  };

  const cutOffIfSlow = (stream: S): boolean => {
    if (transport.unread(stream) <= unreadBytes) return false;
    cutOff(stream);
    return true;
  };

  const dismiss = (stream: S): void => {
    if (transport.isClosed(stream)) return;
    transport.write(stream, transport.farewell(stream));
    transport.end(stream);
  };

  const dismissAll = async (): Promise<void> => {
    const streams = [...all];
    const periodMs = Math.min(endWithinMs, streams.length * END_INTERVAL_MS);
    const startedAt = performance.now();
    for (let endedStreamCount = 0; endedStreamCount < streams.length; ) {
      const fraction = periodMs === 0 ? 1 : Math.min(1, (performance.now() - startedAt) / periodMs);
      const dueStreamCount = Math.ceil(streams.length * fraction);
      for (const stream of streams.slice(endedStreamCount, dueStreamCount)) dismiss(stream);
      endedStreamCount = dueStreamCount;
      if (endedStreamCount < streams.length) await sleep(END_TICK_MS);
    }
  };

  return {
    all,
    add: stream => {
      all.add(stream);
      stopHeartbeats ??= startHeartbeats(all, sendHeartbeat, heartbeatEveryMs);
    },
    remove: stream => {
      all.delete(stream);
      if (all.size > 0) return;
      stopHeartbeats?.();
      stopHeartbeats = undefined;
    },
    write,
    cutOffIfSlow,
    cutOff,
    get isClosing() {
      return isClosing;
    },
    dismiss,
    close: async () => {
      isClosing = true;
      await dismissAll();
      const deadline = performance.now() + LAST_READ_MS;
      while (all.size > 0 && performance.now() < deadline) await sleep(END_TICK_MS);
      // A client that does not read must not delay the others.
      for (const stream of all) transport.destroy(stream);
    },
  };
}

/**
 * Calls `visit` for every stream once per period, spread evenly, because 20,000 writes in a row would take 0.2 s. All streams
 * share one timer.
 */
function startHeartbeats<S>(
  streams: ReadonlySet<S>,
  visit: (stream: S) => void,
  everyMs: number,
): () => void {
  let remaining = streams.values();
  let due = 0;
  const timer = setInterval(() => {
    due = Math.min(streams.size, due + (streams.size * TICK_MS) / everyMs);
    for (; due >= 1; due--) {
      let { value, done } = remaining.next();
      if (done === true) {
        remaining = streams.values();
        ({ value, done } = remaining.next());
      }
      if (value === undefined) return;
      visit(value);
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
