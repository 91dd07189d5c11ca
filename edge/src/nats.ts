import { setTimeout as sleep } from 'node:timers/promises';
import { isAnnouncement } from '@halyard/plane/feed/announcement.ts';
import { busNames } from '@halyard/plane/feed/bus.ts';
import { type Frame, parseFrame, UnknownFrameError } from '@halyard/plane/feed/frames.ts';
import {
  type Bus,
  connectBus,
  type Msg,
  type NatsSettings,
  positionIn,
  readBatch,
  readLast,
  sequenceIn,
} from '@halyard/plane/feed/nats.ts';
import { type Position, positionText } from '@halyard/plane/feed/publisher.ts';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import { decodeSnapshot, type Feed, type Snapshot } from '@halyard/plane/snapshot/format.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import { checkFeed, type FeedSource, isSame } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Trust } from './trust.ts';
import { readSnapshot, type Upstream, UpstreamError } from './upstream.ts';

/** Servers publish a head every 3 s, or every 6 s if the publishing server goes silent. */
const SILENT_AFTER_MS = 10_000;
/** The head is also read from upstream while NATS is up, in case NATS lags behind. */
const UPSTREAM_HEAD_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 500;
/** How long to wait for the frames that a head has overtaken. */
const HEAD_WAIT_MS = 1_000;
/** A random time is added, so that edges do not all connect together. */
const RECONNECT_MS = 500;
/** How long an edge that has no feed waits for the first connection. */
const FIRST_CONNECTION_MS = 3_000;
/** The maximum number of items to queue while the edge reads a snapshot. Beyond it, the edge reads the log instead. */
const MAX_QUEUE = { items: 256, characters: 8 * 1_024 * 1_024 };
const MAX_PROBLEMS = 20;
const BATCH = { messages: 500, bytes: 8 * 1_024 * 1_024 };
const MAX_LOG_MESSAGES = 10_000;
/**
 * How far back the log is read if the edge does not know its position in it. If that is not enough, the edge reads the snapshot.
 */
const LOOK_BACK_MESSAGES = 500;

type Item = { text: string; frame: Frame | undefined; position: Position | undefined; sequence: number };

type StoredSnapshot = {
  bytes: Buffer;
  snapshot: Snapshot;
  /** The sequence number of the newest frame that the snapshot contains. */
  framesSequence: number;
};

export type NatsFeed = {
  /** Reads what it can from NATS, and the rest from the given upstream. */
  upstream: Upstream;
  close: () => Promise<void>;
};

const isCovered = (wantedPosition: Position, position: Position | undefined): boolean =>
  position?.epoch === wantedPosition.epoch &&
  position.revision >= wantedPosition.revision &&
  position.tokenRevision >= wantedPosition.tokenRevision;

/**
 * Reads the feed from NATS: new messages from a subscription, missed messages from the stream, and the stored snapshot at the
 * start. It creates no consumer. While NATS is silent, everything comes from upstream. Only what a trusted key has signed is
 * accepted.
 */
export function followNats(
  httpUpstream: Upstream,
  settings: NatsSettings,
  enrolledFeed: Feed,
  feed: Pick<FeedSource, 'position'>,
  trust: Trust,
  log: Log,
  registry: Registry,
): NatsFeed {
  const { keys } = trust;
  const names = busNames(enrolledFeed);
  const closeController = new AbortController();
  let bus: Bus | undefined;
  let headAt = Number.NEGATIVE_INFINITY;
  /** The problems logged since the last connection. */
  const problems = new Set<string>();
  let queue: Item[] = [];
  /** Resolves when the queue has an item. */
  let arrival = Promise.withResolvers<void>();
  /** The sequence number of the newest message read from the stream. Undefined if it is unknown. */
  let sequence: number | undefined;
  /** The newest position that any message claims. The snapshot in NATS is too old if it does not cover this position. */
  let claimedPosition: Position | undefined;
  let completeSince = 0;
  /** The feed that the newest head names. It has fewer projects than the stored snapshot if a project was archived since then. */
  let currentFeed: Feed | undefined;
  /** Aborted to end the stream from upstream when NATS is back. */
  let upstreamController = new AbortController();

  const isConnected = (): boolean => bus?.isConnected === true;
  const isLive = (): boolean => isConnected() && performance.now() - headAt < SILENT_AFTER_MS;
  const { rejected: rejectedMessages, failures } = registerNatsMetrics(registry, isLive);

  const recordFailure = (error: unknown): undefined => {
    if (closeController.signal.aborted) return undefined;
    failures.inc();
    // Logs one line for each kind of problem rather than for each attempt.
    const kind = (error as Error).message.replaceAll(/\d+/g, '#');
    if (problems.size < MAX_PROBLEMS && !problems.has(kind)) {
      problems.add(kind);
      log.warn({ err: error }, 'NATS unavailable, reading the feed from upstream');
    }
    return undefined;
  };

  /** Reads a frame of the feed that a trusted key signed. Throws an error for anything else. */
  const readFrame = (text: string): Pick<Item, 'text' | 'frame'> => {
    try {
      const frame = parseFrame(readSigned(text, keys));
      if (frame.log !== 'revoked') checkFeed(frame.feed, enrolledFeed);
      return { text, frame };
    } catch (error) {
      // A frame of a later version is counted where it is applied.
      if (error instanceof UnknownFrameError) return { text, frame: undefined };
      throw error;
    }
  };

  /** Returns undefined if the message cannot be trusted. */
  const readItem = (
    data: Uint8Array,
    position: Position | undefined,
    messageSequence: number,
  ): Item | undefined => {
    try {
      return { ...readFrame(Buffer.from(data).toString()), position, sequence: messageSequence };
    } catch {
      rejectedMessages.inc();
      return undefined;
    }
  };

  const add = (item: Item): void => {
    queue.push(item);
    // Dropped items are still in the log, and the newest item shows that they are missing.
    const characters = queue.reduce((sum, { text }) => sum + text.length, 0);
    if (queue.length > MAX_QUEUE.items || characters > MAX_QUEUE.characters) queue = [item];
    arrival.resolve();
  };

  const markLive = (): void => {
    headAt = performance.now();
    upstreamController.abort();
  };

  const onFrame = (error: Error | null, { data, headers }: Msg): void => {
    const item = error ? recordFailure(error) : readItem(data, positionIn(headers), sequenceIn(headers));
    if (item) add(item);
  };

  /**
   * The servers' keys, which come with every head. Without them, a server's first head after its key was replaced is not trusted.
   */
  const onKeys = (text: string): void => {
    if (trust.announcements.includes(text)) return;
    if (trust.changesKeys(text)) markLive();
    add({ text, frame: undefined, position: undefined, sequence: 0 });
  };

  const onHead = (error: Error | null, { data }: Msg): void => {
    const text = error ? '' : Buffer.from(data).toString();
    if (isAnnouncement(text)) {
      onKeys(text);
      return;
    }
    const item = error ? recordFailure(error) : readItem(data, undefined, 0);
    if (item?.frame?.log !== 'head') return;
    markLive();
    add(item);
  };

  const connect = async (): Promise<void> => {
    while (!closeController.signal.aborted && !bus) {
      try {
        const newBus = await connectBus(settings, 'halyard edge', () => {
          if (problems.size > 0) log.warn({}, 'NATS connected again');
          problems.clear();
        });
        newBus.nc.subscribe(names.frames, { callback: onFrame });
        newBus.nc.subscribe(names.head, { callback: onHead });
        bus = newBus;
        if (closeController.signal.aborted) await newBus.close();
      } catch (error) {
        recordFailure(error);
        await sleep(RECONNECT_MS * (1 + Math.random()), undefined, { signal: closeController.signal }).catch(
          () => {},
        );
      }
    }
  };
  const connectionLoop = connect();

  const claim = (position: Position | undefined): void => {
    if (position && !isCovered(position, claimedPosition)) claimedPosition = position;
  };

  /** Finds the sequence number in the stream to start from. */
  const findStart = async ({ nc }: Bus): Promise<number> => {
    const lastMessage = await readLast(nc, names.framesStream, names.frames);
    if (!lastMessage) return 0;
    claim(lastMessage.position);
    if (sequence !== undefined && sequence <= lastMessage.sequence) return sequence;
    // Otherwise, the stream was recreated, or the edge got its state from a different source.
    const isKnown = lastMessage.position && isCovered(lastMessage.position, feed.position);
    return isKnown ? lastMessage.sequence : Math.max(0, lastMessage.sequence - LOOK_BACK_MESSAGES);
  };

  /** Yields the frames in the stream that have not been read yet. */
  async function* readLog(): AsyncGenerator<Item> {
    if (!bus?.isConnected) return;
    try {
      sequence = await findStart(bus);
      for (let messageCount = 0; messageCount < MAX_LOG_MESSAGES; messageCount += BATCH.messages) {
        const batch = await readBatch(bus.nc, names.framesStream, sequence + 1, BATCH);
        if (batch.length === 0) return;
        for (const message of batch) {
          sequence = Math.max(sequence, message.sequence);
          const item = readItem(message.data, message.position, message.sequence);
          if (item) yield item;
        }
      }
    } catch (error) {
      // The edge falls back to the snapshot or upstream.
      recordFailure(error);
    }
  }

  /** Returns whether something before this item is missing. */
  const isGap = ({ frame }: Item): boolean => {
    const { position } = feed;
    if (!frame || !position || frame.log === 'revoked' || frame.log === 'token') return false;
    if (frame.epoch !== position.epoch) return true;
    if (frame.log === 'flags') return frame.prev > position.revision;
    if (frame.log === 'tokens')
      return frame.rev > position.tokenRevision && frame.prev !== position.tokenRevision;
    return frame.rev > position.revision || frame.tokenRev > position.tokenRevision;
  };

  const findClaimedPosition = ({ frame, position }: Item): Position | undefined =>
    frame?.log === 'head'
      ? { epoch: frame.epoch, revision: frame.rev, tokenRevision: frame.tokenRev }
      : position;

  /** Waits for the frames before a head that overtook them. They usually arrive a moment later. */
  const waitForFrames = async function* (head: Item): AsyncGenerator<string> {
    const deadline = performance.now() + HEAD_WAIT_MS;
    while (isGap(head) && performance.now() < deadline) {
      const frames = queue.filter(({ frame }) => frame?.log !== 'head');
      queue = queue.filter(({ frame }) => frame?.log === 'head');
      for (const item of frames) yield* withMissing(item);
      if (isGap(head)) await sleep(HEAD_WAIT_MS / 20);
    }
  };

  const noteItem = (item: Item): void => {
    claim(findClaimedPosition(item));
    if (item.frame?.log === 'head') ({ completeSince, feed: currentFeed } = item.frame);
  };

  /** Yields the item, preceded by what is missing before it. */
  async function* withMissing(item: Item): AsyncGenerator<string> {
    noteItem(item);
    if (isGap(item)) {
      if (item.frame?.log === 'head' && item.sequence === 0) yield* waitForFrames(item);
      if (isGap(item)) for await (const { text } of readLog()) yield text;
    }
    if (item.sequence > 0) sequence = item.sequence;
    yield item.text;
  }

  /** Reads the head from upstream. A signed revocation is passed on too. */
  const readUpstreamHead = async (): Promise<void> => {
    const text = await httpUpstream.head().catch(error => {
      if (error instanceof UpstreamError) return error.body.trimEnd();
      throw error;
    });
    add({ ...readFrame(text), position: undefined, sequence: 0 });
  };

  /** Yields the items that arrive while NATS is live. */
  async function* liveTexts(signal: AbortSignal): AsyncGenerator<string> {
    let upstreamReadAt = Number.NEGATIVE_INFINITY;
    const timer = setInterval(() => arrival.resolve(), CHECK_EVERY_MS);
    try {
      while (isLive() && !signal.aborted) {
        if (performance.now() - upstreamReadAt > UPSTREAM_HEAD_EVERY_MS) {
          upstreamReadAt = performance.now();
          void readUpstreamHead().catch(() => {});
        }
        arrival = Promise.withResolvers<void>();
        const item = queue.shift();
        if (item) yield* withMissing(item);
        else await arrival.promise;
      }
    } finally {
      clearInterval(timer);
    }
  }

  /** Reads the snapshot in NATS. Returns undefined if there is no usable one. */
  const readStored = async (): Promise<StoredSnapshot | undefined> => {
    if (!bus && !feed.position)
      await Promise.race([connectionLoop, sleep(FIRST_CONNECTION_MS, undefined, { ref: false })]);
    if (!bus?.isConnected) return undefined;
    try {
      const lastMessage = await readLast(bus.nc, names.snapshotStream, names.snapshot);
      if (!lastMessage) return undefined;
      const decompressed = new Blob([new Uint8Array(lastMessage.data)])
        .stream()
        .pipeThrough(new DecompressionStream('gzip'));
      const bytes = await readSnapshot(new Response(decompressed), keys);
      const snapshot = decodeSnapshot(bytes, keys);
      checkFeed(snapshot.feed, enrolledFeed);
      return { bytes, snapshot, framesSequence: lastMessage.framesSequence };
    } catch (error) {
      return recordFailure(error);
    }
  };

  const isRecentEnough = ({ snapshot }: StoredSnapshot): boolean =>
    (!claimedPosition || isCovered(claimedPosition, snapshot)) &&
    snapshot.completeSince >= completeSince &&
    (!currentFeed || isSame(snapshot.feed, currentFeed));

  /** Streams from upstream. The heads from upstream also show whether the snapshot in NATS is recent enough. */
  async function* streamUpstream(position: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
    for await (const text of httpUpstream.stream(position, signal)) {
      try {
        noteItem({ ...readFrame(text), position: undefined, sequence: 0 });
      } catch {
        // The code that applies the frame decides whether it can be used.
      }
      yield text;
    }
  }

  const useSnapshot = ({ bytes, framesSequence }: StoredSnapshot): Buffer => {
    sequence = framesSequence;
    return bytes;
  };

  const snapshot = async (): Promise<Buffer> => {
    const storedSnapshot = await readStored();
    if (storedSnapshot && isRecentEnough(storedSnapshot)) return useSnapshot(storedSnapshot);
    try {
      return await httpUpstream.snapshot();
    } catch (error) {
      // An outdated snapshot is better than none, and the frames after it are in the stream.
      if (storedSnapshot && (!feed.position || !isCovered(storedSnapshot.snapshot, feed.position)))
        return useSnapshot(storedSnapshot);
      // The edge is up to date but has too many frames. This snapshot replaces all but the last few.
      if (storedSnapshot && claimedPosition && isCovered(claimedPosition, feed.position))
        return storedSnapshot.bytes;
      throw error;
    }
  };

  return {
    upstream: {
      ...httpUpstream,
      snapshot,
      stream: async function* (position, signal) {
        for await (const { text } of readLog()) yield text;
        if (isLive()) {
          yield* liveTexts(signal);
          return;
        }
        queue = [];
        upstreamController = new AbortController();
        const upstreamSignal = upstreamController.signal;
        try {
          const startPosition = feed.position ? positionText(feed.position) : position;
          yield* streamUpstream(startPosition, AbortSignal.any([signal, upstreamSignal]));
        } catch (error) {
          if (!upstreamSignal.aborted) throw error;
        }
      },
    },
    close: async () => {
      closeController.abort();
      await connectionLoop;
      await bus?.close();
    },
  };
}

function registerNatsMetrics(registry: Registry, isLive: () => boolean) {
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
      help: 'Failed attempts to read from NATS',
      registers,
    }),
  };
}
