import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import { isAnnouncement } from '../../plane/src/feed/announcement.ts';
import { busNames } from '../../plane/src/feed/bus.ts';
import { type Frame, frameOf, UnknownFrameError } from '../../plane/src/feed/frames.ts';
import {
  type Bus,
  connectBus,
  type Msg,
  type NatsSettings,
  positionIn,
  readBatch,
  readLast,
  sequenceIn,
} from '../../plane/src/feed/nats.ts';
import { type Position, positionText } from '../../plane/src/feed/publisher.ts';
import { readSigned } from '../../plane/src/feed/signed.ts';
import { decodeSnapshot, type Feed } from '../../plane/src/snapshot/format.ts';
import { checkFeed, type FeedSource } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Trust } from './trust.ts';
import { readSnapshot, type Upstream, UpstreamError } from './upstream.ts';

/** Servers publish a head every 3 s, or every 6 s if the one that publishes is silent. */
const SILENT_AFTER_MS = 10_000;
/** The server is asked although NATS is up, in case that NATS lags behind. */
const ASK_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 500;
/** A head may overtake the frame before it. */
const HEAD_WAITS_MS = 1_000;
/** Plus a random time, so that edges do not all connect together. */
const CONNECT_AGAIN_MS = 500;
/** How long an edge that has no feed waits for the first connection. */
const FIRST_CONNECTION_MS = 3_000;
/** What may wait while the edge reads a snapshot. If there is more, it reads the log. */
const MAX_WAITING = { items: 256, characters: 8 * 1_024 * 1_024 };
const MAX_PROBLEMS = 20;
const BATCH = { messages: 500, bytes: 8 * 1_024 * 1_024 };
const MAX_LOG = 10_000;
/** How far back the log is read if the edge does not know its place in it. If that is not enough, it reads the snapshot. */
const LOOK_BACK = 500;

type Item = { text: string; frame: Frame | undefined; position: Position | undefined; sequence: number };

type StoredSnapshot = {
  bytes: Buffer;
  position: Position;
  completeSince: number;
  /** Where the frames after it begin. */
  framesSequence: number;
};

export type NatsFeed = {
  /** Reads from NATS what it can, and the rest from the upstream that it was made with. */
  upstream: Upstream;
  close: () => Promise<void>;
};

const isCovered = (wanted: Position, by: Position | undefined): boolean =>
  by?.epoch === wanted.epoch && by.revision >= wanted.revision && by.tokenRevision >= wanted.tokenRevision;

/**
 * The feed from NATS: a subscription for what is new, the stream for what was missed, and the stored snapshot for the start. It creates no
 * consumer. While NATS is silent, everything comes from upstream. Nothing is believed that no trusted key has signed.
 */
export function followNats(
  http: Upstream,
  settings: NatsSettings,
  enrolled: Feed,
  feed: Pick<FeedSource, 'position'>,
  trust: Trust,
  log: Log,
  registry: Registry,
): NatsFeed {
  const { keys } = trust;
  const names = busNames(enrolled);
  const closing = new AbortController();
  let bus: Bus | undefined;
  let headAt = Number.NEGATIVE_INFINITY;
  /** What was logged since the last connection. */
  const problems = new Set<string>();
  let waiting: Item[] = [];
  /** Resolves when something waits. */
  let arrived = Promise.withResolvers<void>();
  /** The sequence of the newest message of the stream that was read. Undefined: not known. */
  let sequence: number | undefined;
  /** The newest position that anything claims, and what the newest head says. They decide whether the snapshot in NATS is new enough. */
  let claimed: Position | undefined;
  let completeSince = 0;
  /** Ends the stream from upstream, because NATS is back. */
  let back = new AbortController();

  const isConnected = (): boolean => bus?.isConnected === true;
  const isLive = (): boolean => isConnected() && performance.now() - headAt < SILENT_AFTER_MS;
  const { rejected, failures } = natsMetrics(registry, isLive);

  const failed = (error: unknown): undefined => {
    if (closing.signal.aborted) return undefined;
    failures.inc();
    // One line for each kind of problem, not one for each attempt.
    const kind = (error as Error).message.replaceAll(/\d+/g, '#');
    if (problems.size < MAX_PROBLEMS && !problems.has(kind)) {
      problems.add(kind);
      log.warn({ err: error }, 'NATS not usable, reading the feed from upstream');
    }
    return undefined;
  };

  /** A frame of the feed that a trusted key signed. Throws otherwise. */
  const read = (text: string): Pick<Item, 'text' | 'frame'> => {
    try {
      const frame = frameOf(readSigned(text, keys));
      if (frame.log !== 'revoked') checkFeed(frame.feed, enrolled);
      return { text, frame };
    } catch (error) {
      // Of a later version: whoever applies it counts it.
      if (error instanceof UnknownFrameError) return { text, frame: undefined };
      throw error;
    }
  };

  /** Undefined if it is not believed. */
  const itemOf = (data: Uint8Array, position: Position | undefined, at: number): Item | undefined => {
    try {
      return { ...read(Buffer.from(data).toString()), position, sequence: at };
    } catch {
      rejected.inc();
      return undefined;
    }
  };

  const add = (item: Item): void => {
    waiting.push(item);
    // What is dropped is in the log, and the newest item shows that it is missing.
    const characters = waiting.reduce((sum, { text }) => sum + text.length, 0);
    if (waiting.length > MAX_WAITING.items || characters > MAX_WAITING.characters) waiting = [item];
    arrived.resolve();
  };

  const heard = (): void => {
    headAt = performance.now();
    back.abort();
  };

  const onFrame = (error: Error | null, { data, headers }: Msg): void => {
    const item = error ? failed(error) : itemOf(data, positionIn(headers), sequenceIn(headers));
    if (item) add(item);
  };

  /** The servers' keys, which come with every head. A server's first head after its key was replaced is not believed without them. */
  const onKeys = (text: string): void => {
    if (trust.announcements.includes(text)) return;
    if (trust.isNews(text)) heard();
    add({ text, frame: undefined, position: undefined, sequence: 0 });
  };

  const onHead = (error: Error | null, { data }: Msg): void => {
    const text = error ? '' : Buffer.from(data).toString();
    if (isAnnouncement(text)) {
      onKeys(text);
      return;
    }
    const item = error ? failed(error) : itemOf(data, undefined, 0);
    if (item?.frame?.log !== 'head') return;
    heard();
    add(item);
  };

  const connect = async (): Promise<void> => {
    while (!closing.signal.aborted && !bus) {
      try {
        const opened = await connectBus(settings, 'halyard edge', () => {
          if (problems.size > 0) log.warn({}, 'NATS connected after failures');
          problems.clear();
        });
        opened.nc.subscribe(names.frames, { callback: onFrame });
        opened.nc.subscribe(names.head, { callback: onHead });
        bus = opened;
        if (closing.signal.aborted) await opened.close();
      } catch (error) {
        failed(error);
        await sleep(CONNECT_AGAIN_MS * (1 + Math.random()), undefined, { signal: closing.signal }).catch(
          () => {},
        );
      }
    }
  };
  const connecting = connect();

  const claim = (position: Position | undefined): void => {
    if (position && !isCovered(position, claimed)) claimed = position;
  };

  /** Where in the stream to begin. */
  const placeInLog = async ({ nc }: Bus): Promise<number> => {
    const last = await readLast(nc, names.framesStream, names.frames);
    if (!last) return 0;
    claim(last.position);
    if (sequence !== undefined && sequence <= last.sequence) return sequence;
    // The stream is a new one, or the edge has what it serves from elsewhere.
    const isKnown = last.position && isCovered(last.position, feed.position);
    return isKnown ? last.sequence : Math.max(0, last.sequence - LOOK_BACK);
  };

  /** The frames that are in the stream and were not read. */
  async function* readLog(): AsyncGenerator<Item> {
    if (!bus?.isConnected) return;
    try {
      sequence = await placeInLog(bus);
      for (let read = 0; read < MAX_LOG; read += BATCH.messages) {
        const batch = await readBatch(bus.nc, names.framesStream, sequence + 1, BATCH);
        if (batch.length === 0) return;
        for (const message of batch) {
          sequence = Math.max(sequence, message.sequence);
          const item = itemOf(message.data, message.position, message.sequence);
          if (item) yield item;
        }
      }
    } catch (error) {
      // The snapshot and upstream are left.
      failed(error);
    }
  }

  /** Whether something before this is missing. */
  const isGap = ({ frame }: Item): boolean => {
    const { position } = feed;
    if (!frame || !position || frame.log === 'revoked' || frame.log === 'token') return false;
    if (frame.epoch !== position.epoch) return true;
    if (frame.log === 'flags') return frame.prev > position.revision;
    if (frame.log === 'tokens')
      return frame.rev > position.tokenRevision && frame.prev !== position.tokenRevision;
    return frame.rev > position.revision || frame.tokenRev > position.tokenRevision;
  };

  const claimOf = ({ frame, position }: Item): Position | undefined =>
    frame?.log === 'head'
      ? { epoch: frame.epoch, revision: frame.rev, tokenRevision: frame.tokenRev }
      : position;

  /** A head that is ahead waits for its frame, which is usually on its way. */
  const waitForFrames = async function* (head: Item): AsyncGenerator<string> {
    const until = performance.now() + HEAD_WAITS_MS;
    while (isGap(head) && performance.now() < until) {
      const frames = waiting.filter(({ frame }) => frame?.log !== 'head');
      waiting = waiting.filter(({ frame }) => frame?.log === 'head');
      for (const item of frames) yield* inOrder(item);
      if (isGap(head)) await sleep(HEAD_WAITS_MS / 20);
    }
  };

  /** The item, and before it what is missing. */
  async function* inOrder(item: Item): AsyncGenerator<string> {
    claim(claimOf(item));
    if (item.frame?.log === 'head') ({ completeSince } = item.frame);
    if (isGap(item)) {
      if (item.frame?.log === 'head' && item.sequence === 0) yield* waitForFrames(item);
      if (isGap(item)) for await (const { text } of readLog()) yield text;
    }
    if (item.sequence > 0) sequence = item.sequence;
    yield item.text;
  }

  /** The head of upstream. A signed revocation is passed on too. */
  const ask = async (): Promise<void> => {
    const text = await http.head().catch(error => {
      if (error instanceof UpstreamError) return error.body.trimEnd();
      throw error;
    });
    add({ ...read(text), position: undefined, sequence: 0 });
  };

  /** What arrives while NATS is live. */
  async function* live(signal: AbortSignal): AsyncGenerator<string> {
    let askedAt = Number.NEGATIVE_INFINITY;
    const timer = setInterval(() => arrived.resolve(), CHECK_EVERY_MS);
    try {
      while (isLive() && !signal.aborted) {
        if (performance.now() - askedAt > ASK_EVERY_MS) {
          askedAt = performance.now();
          void ask().catch(() => {});
        }
        arrived = Promise.withResolvers<void>();
        const item = waiting.shift();
        if (item) yield* inOrder(item);
        else await arrived.promise;
      }
    } finally {
      clearInterval(timer);
    }
  }

  /** The snapshot in NATS, or undefined if there is no usable one. */
  const stored = async (): Promise<StoredSnapshot | undefined> => {
    if (!bus && !feed.position)
      await Promise.race([connecting, sleep(FIRST_CONNECTION_MS, undefined, { ref: false })]);
    if (!bus?.isConnected) return undefined;
    try {
      const last = await readLast(bus.nc, names.snapshotStream, names.snapshot);
      if (!last) return undefined;
      const plain = new Blob([new Uint8Array(last.data)])
        .stream()
        .pipeThrough(new DecompressionStream('gzip'));
      const bytes = await readSnapshot(new Response(plain), keys);
      const decoded = decodeSnapshot(bytes, keys);
      checkFeed(decoded.feed, enrolled);
      const { epoch, revision, tokenRevision } = decoded;
      const position = { epoch, revision, tokenRevision };
      return { bytes, position, completeSince: decoded.completeSince, framesSequence: last.framesSequence };
    } catch (error) {
      return failed(error);
    }
  };

  const isNewest = (one: StoredSnapshot): boolean =>
    (!claimed || isCovered(claimed, one.position)) && one.completeSince >= completeSince;

  const use = ({ bytes, framesSequence }: StoredSnapshot): Buffer => {
    sequence = framesSequence;
    return bytes;
  };

  const snapshot = async (): Promise<Buffer> => {
    const own = await stored();
    if (own && isNewest(own)) return use(own);
    try {
      return await http.snapshot();
    } catch (error) {
      // Better than nothing, and the frames after it are in the stream.
      if (own && (!feed.position || !isCovered(own.position, feed.position))) return use(own);
      // The edge lacks nothing, but has too many frames. This snapshot replaces all but the last few.
      if (own && claimed && isCovered(claimed, feed.position)) return own.bytes;
      throw error;
    }
  };

  return {
    upstream: {
      ...http,
      snapshot,
      stream: async function* (position, signal) {
        for await (const { text } of readLog()) yield text;
        if (isLive()) {
          yield* live(signal);
          return;
        }
        waiting = [];
        back = new AbortController();
        const ended = back.signal;
        try {
          const current = feed.position ? positionText(feed.position) : position;
          yield* http.stream(current, AbortSignal.any([signal, ended]));
        } catch (error) {
          if (!ended.aborted) throw error;
        }
      },
    },
    close: async () => {
      closing.abort();
      await connecting;
      await bus?.close();
    },
  };
}

function natsMetrics(registry: Registry, isLive: () => boolean) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_edge_nats_live',
    help: '1 while the edge reads its feed from NATS, 0 while it reads it from upstream',
    registers,
    collect() {
      this.set(isLive() ? 1 : 0);
    },
  });
  return {
    rejected: new Counter({
      name: 'halyard_edge_nats_rejected_total',
      help: 'Messages from NATS that no trusted key has signed, or that belong to a different feed',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_edge_nats_failures_total',
      help: 'Attempts to read from NATS that failed',
      registers,
    }),
  };
}
