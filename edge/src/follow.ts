import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import { isAnnouncement } from '../../plane/src/feed/announcement.ts';
import { GAP } from '../../plane/src/feed/edge-streams.ts';
import { frameOf, UnknownFrameError } from '../../plane/src/feed/frames.ts';
import { positionText } from '../../plane/src/feed/publisher.ts';
import { readSigned } from '../../plane/src/feed/signed.ts';
import { decodeSnapshot, UntrustedKeyError } from '../../plane/src/snapshot/format.ts';
import type { FeedCopy } from './feed-copy.ts';
import type { FeedSource, Outcome } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Trust } from './trust.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

/**
 * Catching up after an outage must take less than 2 s. Each edge waits a random time, so that they do not all reconnect together.
 */
const RETRY_MS = { least: 100, most: 1_000 };
/** The wait after a rejection, which is unlikely to end soon. */
const REJECTED_RETRY_MS = 5_000;

export type Following = { stop: () => Promise<void> };

/** Keeps the feed current: reads the snapshot at the start and after a gap, applies frames, and keeps a copy of both. */
export function followFeed(
  feed: FeedSource,
  upstream: Upstream,
  copy: FeedCopy,
  trust: Trust,
  onChange: () => void,
  served: () => { revision: number } | undefined,
  log: Log,
  registry: Registry,
): Following {
  const stopping = new AbortController();
  const { snapshots, failures, ignored } = followMetrics(feed, served, registry);
  const { keys } = trust;
  let problem: string | undefined;
  /** Whether the keys were replaced since the snapshot that is kept, so that the key that signed it may soon be removed. */
  let isOutdated = false;
  let isEmptied = false;

  const readSnapshot = async (): Promise<void> => {
    const bytes = await upstream.snapshot();
    const snapshot = decodeSnapshot(bytes, keys);
    const isTaken = feed.takeSnapshot(snapshot);
    snapshots.inc();
    if (feed.isRevoked) {
      await revoked();
      return;
    }
    if (isTaken) onChange();
    if (!isTaken && !copy.includes(snapshot, isOutdated)) return;
    await copy.keepSnapshot(bytes, snapshot);
    isOutdated = false;
  };

  const revoked = async (): Promise<void> => {
    if (isEmptied) return;
    isEmptied = true;
    onChange();
    log.error({}, 'edge token revoked, serving nothing');
    await copy.empty();
    stopping.abort();
  };

  /** The servers' key was replaced. What follows may be signed with the new one. */
  const takeKeys = async (text: string): Promise<void> => {
    // Edges that read from each other would pass it around for ever.
    const isRepeated = trust.announcements.includes(text);
    if (await trust.take(text)) isOutdated = true;
    try {
      if (isOutdated) await readSnapshot();
    } finally {
      if (!isRepeated) copy.pass(text);
    }
  };

  const take = async (text: string): Promise<Outcome> => {
    let frame: ReturnType<typeof frameOf>;
    try {
      frame = frameOf(readSigned(text, keys));
    } catch (error) {
      if (!(error instanceof UnknownFrameError)) throw error;
      // The server is newer. The edge continues with the frames that it understands.
      if (ignored.next()) log.warn({ problem: error.message }, 'frame of a later version ignored');
      copy.pass(text);
      return 'known';
    }
    let outcome = feed.take(frame);
    if (outcome === 'gap') {
      await readSnapshot();
      // The snapshot of an edge may be older than this frame, which continues it.
      outcome = feed.take(frame);
    }
    if (outcome === 'applied') {
      onChange();
      copy.keepFrame(text, frame);
      if (copy.isLong()) await readSnapshot();
    }
    if (feed.isRevoked) await revoked();
    return outcome;
  };

  const follow = async (): Promise<void> => {
    if (!feed.position || isOutdated)
      await readSnapshot().catch(error => {
        // The stream begins with the keys that are valid now. An edge that has flags can follow it in any case.
        if (!feed.position && !(error instanceof UntrustedKeyError)) throw error;
      });
    if (stopping.signal.aborted) return;
    const { position } = feed;
    for await (const text of upstream.stream(position && positionText(position), stopping.signal)) {
      if (isAnnouncement(text)) {
        await takeKeys(text);
        continue;
      }
      if (text === GAP) {
        await readSnapshot();
        continue;
      }
      await take(text);
      if (stopping.signal.aborted) return;
      if (problem !== undefined) log.warn({}, 'upstream reached after failures');
      problem = undefined;
    }
  };

  /**
   * Upstream rejected the request. Only a signed revocation of this token counts, because any proxy in between may respond with
   * 401.
   */
  const rejected = async ({ body }: UpstreamError): Promise<void> => {
    try {
      feed.take(frameOf(readSigned(body.trimEnd(), keys)));
    } catch {
      return;
    }
    if (feed.isRevoked) await revoked();
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least);
      try {
        await follow();
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures.inc();
        // One line for each kind of problem, not one for each attempt.
        const { message } = error as Error;
        if (message !== problem)
          log.warn({ err: error }, 'upstream not reached, serving the last known flags');
        problem = message;
        if (error instanceof UpstreamError && (error.status === 401 || error.status === 403)) {
          await rejected(error);
          waitMs = REJECTED_RETRY_MS;
        }
      }
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

function followMetrics(feed: FeedSource, served: () => { revision: number } | undefined, registry: Registry) {
  const registers = [registry];
  new Gauge({
    name: 'halyard_edge_age_seconds',
    help: 'Seconds since the edge last confirmed that its flags are current; above 15, upstream is unreachable',
    registers,
    collect() {
      this.set(feed.age ?? 0);
    },
  });
  new Gauge({
    name: 'halyard_edge_revision',
    help: 'The revision that the edge serves',
    registers,
    collect() {
      this.set(served()?.revision ?? 0);
    },
  });
  const unknown = new Counter({
    name: 'halyard_edge_unknown_frames_total',
    help: 'Frames of a later version that were ignored; update the edge',
    registers,
  });
  let count = 0;
  return {
    snapshots: new Counter({
      name: 'halyard_edge_snapshots_total',
      help: 'Snapshots that were read from upstream',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_edge_upstream_failures_total',
      help: 'Attempts to read the feed that failed',
      registers,
    }),
    /** Counts an ignored frame. Returns whether it is the first one. */
    ignored: {
      next: () => {
        unknown.inc();
        return count++ === 0;
      },
    },
  };
}
