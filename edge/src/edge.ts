import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { CLIENT_LIMITS, makeClients } from '../../plane/src/counting/clients.ts';
import { makeUsage } from '../../plane/src/counting/usage.ts';
import type { Listen } from '../../plane/src/serving/source.ts';
import { keepCurrent } from '../../plane/src/serving/state/keep-current.ts';
import { makeServingState, type ServingState } from '../../plane/src/serving/state/serving.ts';
import { buildEdgeApp } from './app.ts';
import type { EdgeConfig } from './config.ts';
import { makeFeedCopy } from './feed-copy.ts';
import { makeFeedDisk, NO_DISK } from './feed-disk.ts';
import { type FeedSource, makeFeedSource } from './feed-source.ts';
import { followFeed } from './follow.ts';
import { lockFolder } from './lock.ts';
import type { Log } from './log.ts';
import { limitQuestions } from './questions.ts';
import { makeRelay } from './relay.ts';
import { keepReporting } from './report.ts';
import { openSpool, SPOOL_LIMITS } from './spool.ts';
import { openTrust } from './trust.ts';
import { makeUpstream } from './upstream.ts';

const BACKLOG = 4_096;

export type Edge = { url: string; stop: () => Promise<void> };

/** Serves from disk if it can, and follows upstream. */
export async function startEdge(config: EdgeConfig, version: string, log: Log): Promise<Edge> {
  const { enrolment, dataDir } = config;
  const { environment } = enrolment.feed;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const folder = dataDir === undefined ? undefined : join(dataDir, 'edge');
  const unlock = dataDir === undefined ? async () => {} : await lockFolder(dataDir, log);
  const trust = await openTrust(enrolment.keys, folder, log);
  const upstream = makeUpstream(enrolment.url, enrolment.token, () => trust.keys);
  const ask = limitQuestions(
    async asked => feed.checkAnswer(await upstream.token(asked)),
    ({ epoch, rev }) => feed.position?.epoch === epoch && rev >= feed.position.tokenRevision,
  );
  const feed: FeedSource = makeFeedSource(enrolment.feed, enrolment.token, ask, () => namesIn(state));
  const state = makeServingState(feed.source);
  const disk = folder === undefined ? NO_DISK : makeFeedDisk(folder, log);
  const copy = makeFeedCopy(disk);
  await readDisk();

  const usage = makeUsage(metrics, state.hasFeature, SPOOL_LIMITS);
  const clients = makeClients(CLIENT_LIMITS);
  const tokens = (await feed.source.tokens().catch(() => undefined))?.tokens ?? [];
  const tokenOf = (id: number) => tokens.find(one => one.id === id) ?? enrolment.feed;
  const spool = await openSpool(folder, usage.merged, tokenOf, log);
  const relay = makeRelay({
    id: spool.edge,
    state,
    feed,
    enrolled: enrolment.feed,
    copy,
    trust,
    upstream,
    ask,
    metrics,
  });
  const app = await buildEdgeApp(state, { config, feed, relay, usage, positions: clients, metrics, log });

  /** What SDKs get now. The feed may be ahead of it. */
  const served = () => new Map(state.environments()).get(environment);

  /** Passes what arrived to the serving state, which starts with the first data. */
  let stopServing: Promise<() => Promise<void>> | undefined;
  let wake = () => {};
  const listen: Listen = onChange => {
    wake = onChange;
    return async () => {};
  };
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
  // Loaded only by edges that use it.
  const nats =
    config.nats &&
    (await import('./nats.ts')).followNats(upstream, config.nats, enrolment.feed, feed, trust, log, metrics);
  const following = followFeed(feed, nats?.upstream ?? upstream, copy, trust, serve, served, log, metrics);
  const reporting = keepReporting(version, feed, served, clients, spool, upstream, log, metrics);
  const url = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  log.info(
    { url, upstream: enrolment.url, feed: enrolment.feed, fromDisk: stopServing !== undefined },
    'edge started',
  );

  return {
    url,
    stop: async () => {
      await following.stop();
      await nats?.close();
      await app.close();
      await reporting.stop();
      await (await stopServing?.catch(() => undefined))?.();
      await disk.close();
      await unlock();
    },
  };

  async function readDisk(): Promise<void> {
    const kept = await disk.read(trust.keys).catch(error => {
      log.warn({ err: error }, 'feed on disk not readable');
      return undefined;
    });
    if (!kept) return;
    try {
      feed.takeSnapshot(kept.snapshot);
      // A frame does not continue the state if the snapshot before it was damaged.
      const end = kept.frames.findIndex(({ frame }) => feed.take(frame) === 'gap');
      copy.restore(kept.bytes, kept.snapshot, end < 0 ? kept.frames : kept.frames.slice(0, end));
    } catch (error) {
      log.warn({ err: error }, 'feed on disk ignored, it does not match the enrolment');
    }
  }
}

function* namesIn(state: ServingState): Generator<{ project: string; name: string }> {
  for (const [, { features }] of state.environments())
    for (const { project, name } of features.values()) yield { project, name };
}
