import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import { makeAskStreams } from '../../plane/src/counting/ask-streams.ts';
import type { Clients } from '../../plane/src/counting/clients.ts';
import { MAX_HEARD } from '../../plane/src/feed/report.ts';
import type { FeedSource } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Spool } from './spool.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

const TICK_MS = 250;
/** The server no longer trusts what it knows about an edge's clients if the edge has been silent for 15 s. */
const BEAT_MS = 4_000;
const SEAL_MS = 10_000;
const SWEEP_MS = 10_000;
const RETRY_MS = 2_000;
const STOP_WITHIN_MS = 3_000;
/** A batch that is rejected because of its content is dropped after this many attempts, because it would block all later ones. */
const MAX_REJECTIONS = 3;
const REJECTED = [400, 413];

export type Reporting = { stop: () => Promise<void> };

/**
 * Reports to upstream which revisions SDKs have and what they counted, one report at a time. While upstream is unreachable, the
 * counts accumulate.
 */
export function keepReporting(
  version: string,
  feed: FeedSource,
  served: () => { epoch: string; revision: number } | undefined,
  clients: Clients,
  spool: Spool,
  upstream: Upstream,
  log: Log,
  registry: Registry,
): Reporting {
  const stopping = new AbortController();
  const askStreams = makeAskStreams(clients);
  const { failures, dropped } = reportMetrics(registry);
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reportedRevision = -1;
  let sealedAt = performance.now();
  let sweptAt = performance.now();
  let problem: string | undefined;
  let rejections = 0;

  const send = async (isStopping: boolean): Promise<void> => {
    const position = served();
    if (!position) return;
    const { age = 0 } = feed;
    const { heard, requests, undo } = clients.take(MAX_HEARD);
    const uses = feed.takeUses();
    const { sealed } = spool;
    try {
      const { missing, questions } = await upstream.report({
        edge: spool.edge,
        version,
        epoch: position.epoch,
        revision: position.revision,
        age,
        clients: clients.size,
        isIgnoring: clients.takeIgnored(),
        isStopping,
        heard: heard.map(({ environment: _, projects: __, ...row }) => row),
        requests,
        uses,
        ...(sealed && { batch: sealed }),
      });
      reportedAt = performance.now();
      reportedRevision = position.revision;
      rejections = 0;
      if (sealed) await spool.done();
      clients.forget(missing);
      // Streams cannot have a revision that this edge does not have yet.
      const known = questions.filter(({ revision }) => revision <= position.revision);
      if (known.length > 0) askStreams(new Map(known.map(one => [one.environment, one.revision])));
    } catch (error) {
      undo();
      await feed.source.reportUses(uses);
      throw error;
    }
  };

  /** Drops a batch that upstream rejects again and again. */
  const afterRejection = async (error: unknown): Promise<void> => {
    if (!(error instanceof UpstreamError) || !REJECTED.includes(error.status) || !spool.sealed) return;
    if (++rejections < MAX_REJECTIONS) return;
    rejections = 0;
    dropped.inc();
    log.error({ status: error.status, sequence: spool.sealed.sequence }, 'metrics rejected, dropped');
    await spool.done();
  };

  const tick = async (): Promise<void> => {
    const now = performance.now();
    if (now - sweptAt >= SWEEP_MS) {
      sweptAt = now;
      clients.sweep();
    }
    if (now - sealedAt >= SEAL_MS) {
      sealedAt = now;
      await spool.seal();
      await spool.save();
    }
    // A change is live only after the edge has reported it.
    const isMoved = served()?.revision !== reportedRevision;
    if (clients.isChanged || spool.sealed || isMoved || now - reportedAt >= BEAT_MS) await send(false);
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = TICK_MS;
      try {
        await tick();
        if (problem !== undefined) log.warn({}, 'report accepted after failures');
        problem = undefined;
      } catch (error) {
        failures.inc();
        // One line for each kind of problem, not one for each attempt.
        const { message } = error as Error;
        if (message !== problem) log.warn({ err: error }, 'report not accepted, retrying');
        problem = message;
        waitMs = RETRY_MS;
        await afterRejection(error).catch(() => {});
      }
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      const last = running.then(async () => {
        await spool.seal();
        await send(true);
      });
      const ended = last.catch(() => {});
      await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      await spool.save();
    },
  };
}

function reportMetrics(registry: Registry) {
  const registers = [registry];
  return {
    failures: new Counter({
      name: 'halyard_edge_report_failures_total',
      help: 'Reports that upstream did not accept; what they contained is sent later',
      registers,
    }),
    dropped: new Counter({
      name: 'halyard_edge_batches_dropped_total',
      help: 'Batches of metrics that upstream rejected for their content, and that were dropped',
      registers,
    }),
  };
}
