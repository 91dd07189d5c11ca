import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import { announcementOf } from '../../../../plane/src/feed/announcement.ts';
import { ALL_HEADS } from '../../../../plane/src/feed/bus.ts';
import { type Bus, connectBus, type NatsSettings } from '../../../../plane/src/feed/nats.ts';
import { feedKey, feedOf, makeSnapshots } from '../../../../plane/src/feed/publisher.ts';
import { HEAD_EVERY_MS } from '../../../../plane/src/feed/streams.ts';
import type { ServingState } from '../../../../plane/src/serving/state/serving.ts';
import type { Feed } from '../../../../plane/src/snapshot/format.ts';
import type { SigningKey } from '../../../../plane/src/snapshot/keys.ts';
import { type FeedPublisher, makeFeedPublisher } from './feed-publisher.ts';
import { keepLeading } from './leader.ts';

const TICK_MS = 1_000;
const CONNECT_AGAIN_MS = 1_000;
/** The leader sends a head every 3 s. If it is silent, this server sends them. */
const SILENT_AFTER_MS = 2 * HEAD_EVERY_MS;
/** A feed whose last edge token was revoked is published a little longer, so that its edges learn of it. */
const DROP_AFTER_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

export type PublishingSettings = NatsSettings & {
  replicas: number;
  databaseUrl: string;
  key: SigningKey;
  /** The key before, which edges may still trust instead. */
  previousKey: SigningKey | undefined;
};

type Log = Record<'info' | 'warn', (fields: object, message: string) => void>;

/** The kind of problem that was logged last. */
type Troubled = { problem: string | undefined };

type Published = Troubled & {
  publisher: FeedPublisher;
  feed: Feed;
  wantedAt: number;
  headAt: number;
  isRunning: boolean;
  again: boolean;
};

/**
 * Publishes every feed that has an edge token to NATS. Nothing waits for it: changes are committed and HTTP edges are served whatever
 * happens here. The returned function stops it.
 */
export function keepPublishing(
  settings: PublishingSettings,
  state: ServingState,
  log: Log,
  registry: Registry,
): () => Promise<void> {
  const { key, previousKey } = settings;
  const announcement = announcementOf(key, previousKey);
  const leader = keepLeading(settings.databaseUrl);
  const encode = makeSnapshots(state, key);
  const feeds = new Map<string, Published>();
  const stopping = new AbortController();
  let bus: Bus | undefined;
  const connection: Troubled = { problem: undefined };
  let isTicking = false;
  const { published, failures } = publishingMetrics(
    registry,
    () => bus?.isConnected === true,
    () => leader.isLeader,
  );

  const failed = (error: unknown, of: Troubled = connection): void => {
    if (stopping.signal.aborted) return;
    failures.inc();
    // One line for each kind of problem, not one for each attempt. Messages of NATS contain sequences.
    const kind = (error as Error).message.replaceAll(/\d+/g, '#');
    if (kind !== of.problem) log.warn({ err: error }, 'feed not published to NATS');
    of.problem = kind;
  };

  const runOnce = async (one: Published): Promise<void> => {
    const count = await one.publisher.run(leader.isLeader);
    published.inc(count);
    if (count === 0) return;
    if (one.problem !== undefined) log.warn({ feed: one.feed }, 'feed published to NATS after failures');
    one.problem = undefined;
  };

  const run = async (one: Published): Promise<void> => {
    one.again = one.isRunning;
    if (one.isRunning || bus?.isConnected !== true || stopping.signal.aborted) return;
    one.isRunning = true;
    try {
      do {
        one.again = false;
        await runOnce(one);
      } while (one.again);
    } catch (error) {
      failed(error, one);
    } finally {
      one.isRunning = false;
    }
  };

  const advance = (one: Published): void => {
    try {
      one.publisher.advance();
      void run(one);
    } catch (error) {
      // Its environment was deleted.
      feeds.delete(feedKey(one.feed));
      failed(error);
    }
  };

  const sendHead = (one: Published): void => {
    if (bus?.isConnected !== true) return;
    const silentMs = performance.now() - one.headAt;
    if (silentMs < (leader.isLeader ? HEAD_EVERY_MS - TICK_MS / 2 : SILENT_AFTER_MS)) return;
    one.headAt = performance.now();
    try {
      // An edge that does not know the new key would not believe the head.
      bus.nc.publish(one.publisher.headSubject, announcement);
      bus.nc.publish(one.publisher.headSubject, one.publisher.head());
    } catch (error) {
      // NATS accepts only smaller messages.
      failed(error, one);
    }
  };

  /** Finds the feeds that edge tokens name. */
  const findFeeds = async (connected: Bus): Promise<void> => {
    const wanted = [...state.tokens.all()].filter(({ type, ended }) => type === 'edge' && !ended).map(feedOf);
    for (const feed of new Map(wanted.map(one => [feedKey(one), one])).values()) {
      const known = feeds.get(feedKey(feed));
      if (known) {
        known.wantedAt = performance.now();
        continue;
      }
      await state.load(feed.environment);
      const publisher = makeFeedPublisher(state, feed, key, connected, encode, {
        replicas: settings.replicas,
        maxPayload: () => connected.nc.info?.max_payload ?? 0,
      });
      const now = performance.now();
      feeds.set(feedKey(feed), {
        publisher,
        feed,
        wantedAt: now,
        headAt: leader.isLeader ? 0 : now,
        isRunning: false,
        again: false,
        problem: undefined,
      });
    }
    for (const [id, { wantedAt }] of feeds)
      if (performance.now() - wantedAt > DROP_AFTER_MS) feeds.delete(id);
  };

  const tick = async (): Promise<void> => {
    if (!bus || isTicking) return;
    isTicking = true;
    try {
      await findFeeds(bus);
    } catch (error) {
      failed(error);
    } finally {
      isTicking = false;
    }
    for (const one of feeds.values()) {
      advance(one);
      sendHead(one);
    }
  };

  const unsubscribe = [
    state.onChange(environment => {
      for (const one of feeds.values()) if (one.feed.environment === environment) advance(one);
    }),
    state.onTokens(() => {
      for (const one of feeds.values()) advance(one);
    }),
  ];

  const connect = async (): Promise<void> => {
    const forgetAll = () => {
      for (const { publisher } of feeds.values()) publisher.forget();
      connection.problem = undefined;
      log.info({ url: hostsOf(settings.url) }, 'NATS connected');
    };
    while (!stopping.signal.aborted && !bus) {
      try {
        const opened = await connectBus(settings, 'halyard server', forgetAll);
        if (stopping.signal.aborted) return await opened.close();
        bus = opened;
        opened.nc.subscribe(ALL_HEADS, {
          callback: (error, { subject }) => {
            if (error) failed(error);
            for (const one of feeds.values())
              if (one.publisher.headSubject === subject) one.headAt = performance.now();
          },
        });
      } catch (error) {
        failed(error);
        await sleep(CONNECT_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const connecting = connect();
  const timer = setInterval(() => void tick(), TICK_MS);

  return async () => {
    stopping.abort();
    clearInterval(timer);
    for (const stop of unsubscribe) stop();
    const finished = Promise.all([connecting.then(() => bus?.close()), leader.stop()]);
    await Promise.race([finished, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  };
}

/** Without what somebody may have put before the host. */
const hostsOf = (url: string): string =>
  url
    .split(',')
    .map(one => one.replace(/^.*[@/]/, ''))
    .join(',');

function publishingMetrics(registry: Registry, isConnected: () => boolean, isLeader: () => boolean) {
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
      help: 'Attempts to publish a feed to NATS that failed',
      registers,
    }),
  };
}
