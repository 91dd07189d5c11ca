import { setTimeout as sleep } from 'node:timers/promises';
import { signAnnouncement } from '@halyard/plane/feed/announcement.ts';
import { ALL_HEADS } from '@halyard/plane/feed/bus.ts';
import { type Bus, connectBus, type NatsSettings } from '@halyard/plane/feed/nats.ts';
import { feedKey, makeSnapshots, toFeed } from '@halyard/plane/feed/publisher.ts';
import { HEAD_EVERY_MS } from '@halyard/plane/feed/streams.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import type { Feed } from '@halyard/plane/snapshot/format.ts';
import type { SigningKey } from '@halyard/plane/snapshot/keys.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type FeedPublisher, makeFeedPublisher } from './feed-publisher.ts';
import { electLeader } from './leader.ts';

const TICK_MS = 1_000;
const RECONNECT_MS = 1_000;
/** The leader sends a head every 3 s. If the leader goes silent, this server sends heads instead. */
const SILENT_AFTER_MS = 2 * HEAD_EVERY_MS;
/** A feed whose last edge token was revoked is published a little longer, so that its edges learn of the revocation. */
const DROP_AFTER_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

export type PublishingSettings = NatsSettings & {
  replicas: number;
  databaseUrl: string;
  key: SigningKey;
  /** The previous key, which is the only one that some edges trust so far. */
  previousKey: SigningKey | undefined;
};

type Log = Record<'info' | 'warn', (fields: object, message: string) => void>;

/** The kind of problem that was logged last. */
type LastProblem = { problem: string | undefined };

type PublishedFeed = LastProblem & {
  publisher: FeedPublisher;
  feed: Feed;
  neededAt: number;
  headAt: number;
  isRunning: boolean;
  needsRerun: boolean;
};

/**
 * Publishes every feed that has an edge token to NATS. Nothing waits for NATS, so changes are committed and edges are served over
 * HTTP even if publishing fails. The returned function stops publishing.
 */
export function keepPublishing(
  settings: PublishingSettings,
  state: ServingState,
  log: Log,
  registry: Registry,
): () => Promise<void> {
  const { key, previousKey } = settings;
  const announcement = signAnnouncement(key, previousKey);
  const leader = electLeader(settings.databaseUrl);
  const encode = makeSnapshots(state, key);
  const feeds = new Map<string, PublishedFeed>();
  const stopController = new AbortController();
  let bus: Bus | undefined;
  const connection: LastProblem = { problem: undefined };
  let isTicking = false;
  const { published: publishedMessages, failures } = registerPublishingMetrics(
    registry,
    () => bus?.isConnected === true,
    () => leader.isLeader,
  );

  const recordFailure = (error: unknown, source: LastProblem = connection): void => {
    if (stopController.signal.aborted) return;
    failures.inc();
    // Logs one line for each kind of problem rather than for each attempt. Errors from NATS contain sequence numbers, which differ.
    const kind = (error as Error).message.replaceAll(/\d+/g, '#');
    if (kind !== source.problem) log.warn({ err: error }, 'feed not published to NATS');
    source.problem = kind;
  };

  const runOnce = async (publishedFeed: PublishedFeed): Promise<void> => {
    const count = await publishedFeed.publisher.run(leader.isLeader);
    publishedMessages.inc(count);
    if (count === 0) return;
    if (publishedFeed.problem !== undefined)
      log.warn({ feed: publishedFeed.feed }, 'feed published to NATS after failures');
    publishedFeed.problem = undefined;
  };

  const run = async (publishedFeed: PublishedFeed): Promise<void> => {
    publishedFeed.needsRerun = publishedFeed.isRunning;
    if (publishedFeed.isRunning || bus?.isConnected !== true || stopController.signal.aborted) return;
    publishedFeed.isRunning = true;
    try {
      do {
        publishedFeed.needsRerun = false;
        await runOnce(publishedFeed);
      } while (publishedFeed.needsRerun);
    } catch (error) {
      recordFailure(error, publishedFeed);
    } finally {
      publishedFeed.isRunning = false;
    }
  };

  const advance = (publishedFeed: PublishedFeed): void => {
    try {
      publishedFeed.publisher.advance();
      void run(publishedFeed);
    } catch (error) {
      // The feed's environment was deleted.
      feeds.delete(feedKey(publishedFeed.feed));
      recordFailure(error);
    }
  };

  const sendHead = (publishedFeed: PublishedFeed): void => {
    if (bus?.isConnected !== true) return;
    const silentMs = performance.now() - publishedFeed.headAt;
    if (silentMs < (leader.isLeader ? HEAD_EVERY_MS - TICK_MS / 2 : SILENT_AFTER_MS)) return;
    publishedFeed.headAt = performance.now();
    try {
      // An edge that does not know the new key would reject the head.
      bus.nc.publish(publishedFeed.publisher.headSubject, announcement);
      bus.nc.publish(publishedFeed.publisher.headSubject, publishedFeed.publisher.head());
    } catch (error) {
      // The message may exceed the size limit of NATS.
      recordFailure(error, publishedFeed);
    }
  };

  /** Finds the feeds that edge tokens name. */
  const findFeeds = async (connectedBus: Bus): Promise<void> => {
    const neededFeeds = [...state.tokens.all()]
      .filter(({ type, ended }) => type === 'edge' && !ended)
      .map(toFeed);
    for (const feed of new Map(neededFeeds.map(neededFeed => [feedKey(neededFeed), neededFeed])).values()) {
      const existing = feeds.get(feedKey(feed));
      if (existing) {
        existing.neededAt = performance.now();
        continue;
      }
      await state.load(feed.environment);
      const publisher = makeFeedPublisher(state, feed, key, connectedBus, encode, {
        replicas: settings.replicas,
        maxPayload: () => connectedBus.nc.info?.max_payload ?? 0,
      });
      const now = performance.now();
      feeds.set(feedKey(feed), {
        publisher,
        feed,
        neededAt: now,
        headAt: leader.isLeader ? 0 : now,
        isRunning: false,
        needsRerun: false,
        problem: undefined,
      });
    }
    for (const [id, { neededAt }] of feeds)
      if (performance.now() - neededAt > DROP_AFTER_MS) feeds.delete(id);
  };

  const tick = async (): Promise<void> => {
    if (!bus || isTicking) return;
    isTicking = true;
    try {
      await findFeeds(bus);
    } catch (error) {
      recordFailure(error);
    } finally {
      isTicking = false;
    }
    for (const publishedFeed of feeds.values()) {
      advance(publishedFeed);
      sendHead(publishedFeed);
    }
  };

  const unsubscribers = [
    state.onChange(environment => {
      for (const publishedFeed of feeds.values())
        if (publishedFeed.feed.environment === environment) advance(publishedFeed);
    }),
    state.onTokens(() => {
      for (const publishedFeed of feeds.values()) advance(publishedFeed);
    }),
  ];

  const connect = async (): Promise<void> => {
    const forgetAll = () => {
      for (const { publisher } of feeds.values()) publisher.forget();
      connection.problem = undefined;
      log.info({ url: listHosts(settings.url) }, 'NATS connected');
    };
    while (!stopController.signal.aborted && !bus) {
      try {
        const newBus = await connectBus(settings, 'halyard server', forgetAll);
        if (stopController.signal.aborted) return await newBus.close();
        bus = newBus;
        newBus.nc.subscribe(ALL_HEADS, {
          callback: (error, { subject }) => {
            if (error) recordFailure(error);
            for (const publishedFeed of feeds.values())
              if (publishedFeed.publisher.headSubject === subject) publishedFeed.headAt = performance.now();
          },
        });
      } catch (error) {
        recordFailure(error);
        await sleep(RECONNECT_MS, undefined, { signal: stopController.signal }).catch(() => {});
      }
    }
  };
  const connectionLoop = connect();
  const timer = setInterval(() => void tick(), TICK_MS);

  return async () => {
    stopController.abort();
    clearInterval(timer);
    for (const stop of unsubscribers) stop();
    const shutdown = Promise.all([connectionLoop.then(() => bus?.close()), leader.stop()]);
    await Promise.race([shutdown, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  };
}

/** Returns the hosts of the URLs, without schemes and credentials. */
const listHosts = (url: string): string =>
  url
    .split(',')
    .map(part => part.replace(/^.*[@/]/, ''))
    .join(',');

function registerPublishingMetrics(registry: Registry, isConnected: () => boolean, isLeader: () => boolean) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_nats_connected',
    help: '1 while the server is connected to NATS',
    registers,
    collect() {
      this.set(isConnected() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'halyard_nats_leader',
    help: '1 on the server that publishes feeds to NATS',
    registers,
    collect() {
      this.set(isLeader() ? 1 : 0);
    },
  });
  return {
    published: new Counter({
      name: 'halyard_nats_published_total',
      help: 'Frames and snapshots that NATS has stored',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_nats_failures_total',
      help: 'Failed attempts to publish a feed to NATS',
      registers,
    }),
  };
}
