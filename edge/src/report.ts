import { setTimeout as sleep } from 'node:timers/promises';
import type { Clients } from '@halyard/plane/counting/clients.ts';
import { makeReconnectClients } from '@halyard/plane/counting/reconnect-clients.ts';
import { MAX_SIGHTINGS } from '@halyard/plane/feed/report.ts';
import { Counter, type Registry } from 'prom-client';
import type { FeedSource } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Spool } from './spool.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

const TICK_MS = 250;
/** If the edge has been silent for 15 s, the server no longer trusts what it knows about the edge's clients. */
const HEARTBEAT_MS = 4_000;
const SEAL_MS = 10_000;
const SWEEP_MS = 10_000;
const RETRY_MS = 2_000;
const STOP_WITHIN_MS = 3_000;
/** A batch that is rejected because of its content would block all later ones, so it is dropped after this many attempts. */
const MAX_REJECTIONS = 3;
const REJECTION_STATUSES = [400, 413];

export type ReportLoop = { stop: () => Promise<void> };

/**
 * Reports to upstream which revisions SDKs have and what they counted, one report at a time. While upstream is unreachable, the
 * counts accumulate.
 */
export function startReporting(
  version: string,
  feed: FeedSource,
  servedState: () => { epoch: string; revision: number } | undefined,
  clients: Clients,
  spool: Spool,
  upstream: Upstream,
  log: Log,
  registry: Registry,
): ReportLoop {
  const stopController = new AbortController();
  const reconnectClients = makeReconnectClients(clients);
  const { failures, dropped } = registerReportMetrics(registry);
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reportedRevision = -1;
  let sealedAt = performance.now();
  let sweptAt = performance.now();
  let problem: string | undefined;
  let rejectionCount = 0;

  const send = async (isStopping: boolean): Promise<void> => {
    const position = servedState();
    if (!position) return;
    const { age = 0 } = feed;
    const { sightings, requests, undo } = clients.take(MAX_SIGHTINGS);
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
        heard: sightings.map(({ environment: _, projects: __, ...row }) => row),
        requests,
        uses,
        ...(sealed && { batch: sealed }),
      });
      reportedAt = performance.now();
      reportedRevision = position.revision;
      rejectionCount = 0;
      if (sealed) await spool.removeSealed();
      clients.forget(missing);
      // Skips questions about revisions that this edge does not have yet, because its streams cannot have them either.
      const servedQuestions = questions.filter(({ revision }) => revision <= position.revision);
      if (servedQuestions.length > 0)
        reconnectClients(new Map(servedQuestions.map(question => [question.environment, question.revision])));
    } catch (error) {
      undo();
      await feed.source.reportUses(uses);
      throw error;
    }
  };

  /** Drops a batch that upstream keeps rejecting. */
  const handleRejection = async (error: unknown): Promise<void> => {
    if (!(error instanceof UpstreamError) || !REJECTION_STATUSES.includes(error.status) || !spool.sealed)
      return;
    if (++rejectionCount < MAX_REJECTIONS) return;
    rejectionCount = 0;
    dropped.inc();
    log.error({ status: error.status, sequence: spool.sealed.sequence }, 'rejected metrics dropped');
    await spool.removeSealed();
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
    const hasNewRevision = servedState()?.revision !== reportedRevision;
    if (clients.isChanged || spool.sealed || hasNewRevision || now - reportedAt >= HEARTBEAT_MS)
      await send(false);
  };

  const run = async (): Promise<void> => {
    while (!stopController.signal.aborted) {
      let waitMs = TICK_MS;
      try {
        await tick();
        if (problem !== undefined) log.warn({}, 'report accepted after failures');
        problem = undefined;
      } catch (error) {
        failures.inc();
        // Logs one line for each kind of problem rather than for each attempt.
        const { message } = error as Error;
        if (message !== problem) log.warn({ err: error }, 'report not accepted, retrying');
        problem = message;
        waitMs = RETRY_MS;
        await handleRejection(error).catch(() => {});
      }
      await sleep(waitMs, undefined, { signal: stopController.signal, ref: false }).catch(() => {});
    }
  };
  const loop = run();

  return {
    stop: async () => {
      stopController.abort();
      const lastReport = loop.then(async () => {
        await spool.seal();
        await send(true);
      });
      const lastAttempt = lastReport.catch(() => {});
      await Promise.race([lastAttempt, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      await spool.save();
    },
  };
}

function registerReportMetrics(registry: Registry) {
  const registers = [registry];
  return {
    failures: new Counter({
      name: 'halyard_edge_report_failures_total',
      help: 'Reports that upstream did not accept; their contents are sent later',
      registers,
    }),
    dropped: new Counter({
      name: 'halyard_edge_batches_dropped_total',
      help: 'Metrics batches dropped because upstream rejected their contents',
      registers,
    }),
  };
}
