import { join } from 'node:path';
import { CLIENT_LIMITS, makeClients } from '@halyard/plane/counting/clients.ts';
import { makeUsage } from '@halyard/plane/counting/usage.ts';
import { explainListenFailure } from '@halyard/plane/platform/http/listen-failure.ts';
import type { Listen } from '@halyard/plane/serving/source.ts';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { makeServingState, type ServingState } from '@halyard/plane/serving/state/serving.ts';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { buildEdgeApp } from './app.ts';
import type { EdgeConfig } from './config.ts';
import { makeFeedCopy } from './feed-copy.ts';
import { makeFeedDisk, NO_DISK } from './feed-disk.ts';
import { type FeedSource, makeFeedSource } from './feed-source.ts';
import { followFeed } from './follow.ts';
import { limitLookups } from './limit-lookups.ts';
import { lockFolder } from './lock.ts';
import type { Log } from './log.ts';
import { makeRelay } from './relay.ts';
import { startReporting } from './report.ts';
import { openSpool, SPOOL_LIMITS } from './spool.ts';
import { openTrust } from './trust.ts';
import { makeUpstream } from './upstream.ts';

const BACKLOG = 4_096;

export type Edge = { url: string; stop: () => Promise<void> };

/** Starts an edge, which serves from disk if possible and reads changes from upstream. */
export async function startEdge(config: EdgeConfig, version: string, log: Log): Promise<Edge> {
  const { enrolment, dataDir } = config;
  const { environment } = enrolment.feed;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const folder = dataDir === undefined ? undefined : join(dataDir, 'edge');
  const unlock = dataDir === undefined ? async () => {} : await lockFolder(dataDir, log);
  const trust = await openTrust(enrolment.keys, folder, log);
  const upstream = makeUpstream(enrolment.url, enrolment.token, () => trust.keys);
  const lookUp = limitLookups(
    async tokenHash => feed.checkResponse(await upstream.token(tokenHash)),
    ({ epoch, rev }) => feed.position?.epoch === epoch && rev >= feed.position.tokenRevision,
  );
  const feed: FeedSource = makeFeedSource(enrolment.feed, enrolment.token, lookUp, () => listNames(state));
  const state = makeServingState(feed.source);
  const disk = folder === undefined ? NO_DISK : makeFeedDisk(folder, log);
  const copy = makeFeedCopy(disk);
  await readDisk();

  const usage = makeUsage(metrics, state.hasFeature, SPOOL_LIMITS);
  const clients = makeClients(CLIENT_LIMITS);
  const tokens = (await feed.source.tokens().catch(() => undefined))?.tokens ?? [];
  const getToken = (id: number) => tokens.find(token => token.id === id) ?? enrolment.feed;
  const spool = await openSpool(folder, usage.merged, getToken, log);
  const relay = makeRelay({
    id: spool.edge,
    state,
    feed,
    enrolled: enrolment.feed,
    copy,
    trust,
    upstream,
    lookUp,
    metrics,
  });
  const app = await buildEdgeApp(state, { config, feed, relay, usage, positions: clients, metrics, log });

  /** Returns what SDKs currently get. The feed may be ahead of it. */
  const servedState = () => new Map(state.environments()).get(environment);

  let stopServing: Promise<() => Promise<void>> | undefined;
  let wake = () => {};
  const listen: Listen = onChange => {
    wake = onChange;
    return async () => {};
  };
  /** Applies what has arrived to the serving state, which is loaded when the first data arrives. */
  const serve = (): void => {
    if (stopServing || !feed.position) {
      wake();
      return;
    }
    stopServing = state
      .refresh()
      .then(() => state.load(environment))
      .then(() => keepCurrent(state, listen, log, metrics));
    stopServing.catch(error => {
      stopServing = undefined;
      log.error({ err: error }, 'feed not loaded');
    });
  };
  serve();
  await stopServing;
  // Loaded only by edges that use NATS.
  const nats =
    config.nats &&
    (await import('./nats.ts')).followNats(upstream, config.nats, enrolment.feed, feed, trust, log, metrics);
  const follower = followFeed(
    feed,
    nats?.upstream ?? upstream,
    copy,
    trust,
    serve,
    servedState,
    log,
    metrics,
  );
  const reporter = startReporting(version, feed, servedState, clients, spool, upstream, log, metrics);
  const { host, port } = config;
  const url = await app.listen({ host, port, backlog: BACKLOG }).catch((error: unknown) => {
    throw new Error(explainListenFailure(error, host, port) ?? (error as Error).message, { cause: error });
  });
  log.info(
    { url, upstream: enrolment.url, feed: enrolment.feed, fromDisk: stopServing !== undefined },
    'edge started',
  );

  return {
    url,
    stop: async () => {
      await follower.stop();
      await nats?.close();
      await app.close();
      await reporter.stop();
      await (await stopServing?.catch(() => undefined))?.();
      await disk.close();
      await unlock();
    },
  };

  async function readDisk(): Promise<void> {
    const stored = await disk.read(trust.keys).catch(error => {
      log.warn({ err: error }, 'feed on disk not readable');
      return undefined;
    });
    if (!stored) return;
    try {
      feed.takeSnapshot(stored.snapshot);
      // There is a gap before the frames if the snapshot that they follow was damaged, and an older one was read instead.
      const gapIndex = stored.frames.findIndex(({ frame }) => feed.take(frame) === 'gap');
      copy.restore(
        stored.bytes,
        stored.snapshot,
        gapIndex < 0 ? stored.frames : stored.frames.slice(0, gapIndex),
      );
    } catch (error) {
      log.warn({ err: error }, 'feed on disk ignored, it does not match the enrolment');
    }
  }
}

function* listNames(state: ServingState): Generator<{ project: string; name: string }> {
  for (const [, { features }] of state.environments())
    for (const { project, name } of features.values()) yield { project, name };
}
