import { setTimeout as sleep } from 'node:timers/promises';
import { isAnnouncement } from '@halyard/plane/feed/announcement.ts';
import { GAP } from '@halyard/plane/feed/edge-streams.ts';
import { parseFrame, UnknownFrameError } from '@halyard/plane/feed/frames.ts';
import { positionText } from '@halyard/plane/feed/publisher.ts';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import { decodeSnapshot, UntrustedKeyError } from '@halyard/plane/snapshot/format.ts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FeedCopy } from './feed-copy.ts';
import type { FeedSource, Outcome } from './feed-source.ts';
import type { Log } from './log.ts';
import type { Trust } from './trust.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

/**
 * Catching up after an outage must take less than 2 s. Each edge waits a random time, so that they do not all reconnect together.
 */
const RETRY_MS = { min: 100, max: 1_000 };
/** How long to wait after a rejection, because its cause is unlikely to go away soon. */
const REJECTED_RETRY_MS = 5_000;

export type FeedFollower = { stop: () => Promise<void> };

/** Keeps the feed current: reads the snapshot at the start and after a gap, applies frames, and keeps a copy of both. */
export function followFeed(
  feed: FeedSource,
  upstream: Upstream,
  copy: FeedCopy,
  trust: Trust,
  onChange: () => void,
  servedState: () => { revision: number } | undefined,
  log: Log,
  registry: Registry,
): FeedFollower {
  const stopController = new AbortController();
  const { snapshots, failures, countIgnored } = registerFollowMetrics(feed, servedState, registry);
  const { keys } = trust;
  let problem: string | undefined;
  /** Whether the keys were replaced after the stored snapshot was signed, which means that the snapshot's key may soon be removed. */
  let isOutdated = false;
  let isEmptied = false;

  const readSnapshot = async (): Promise<void> => {
    const bytes = await upstream.snapshot();
    const snapshot = decodeSnapshot(bytes, keys);
    const isTaken = feed.takeSnapshot(snapshot);
    snapshots.inc();
    if (feed.isRevoked) {
      await handleRevocation();
      return;
    }
    if (isTaken) onChange();
    if (!isTaken && !copy.mayReplaceFrames(snapshot, isOutdated)) return;
    await copy.keepSnapshot(bytes, snapshot);
    isOutdated = false;
  };

  const handleRevocation = async (): Promise<void> => {
    if (isEmptied) return;
    isEmptied = true;
    onChange();
    log.error({}, 'edge token revoked, serving nothing');
    await copy.empty();
    stopController.abort();
  };

  /** Trusts the new keys after the servers' key was replaced, because whatever follows may be signed with the new key. */
  const takeKeys = async (text: string): Promise<void> => {
    // A repeated announcement is not passed on, because edges that read from each other would pass it around forever.
    const isRepeated = trust.announcements.includes(text);
    if (await trust.take(text)) isOutdated = true;
    try {
      if (isOutdated) await readSnapshot();
    } finally {
      if (!isRepeated) copy.forward(text);
    }
  };

  const take = async (text: string): Promise<Outcome> => {
    let frame: ReturnType<typeof parseFrame>;
    try {
      frame = parseFrame(readSigned(text, keys));
    } catch (error) {
      if (!(error instanceof UnknownFrameError)) throw error;
      // The server is newer. The edge continues with the frames that it understands.
      if (countIgnored()) log.warn({ problem: error.message }, 'frame of a later version ignored');
      copy.forward(text);
      return 'known';
    }
    let outcome = feed.take(frame);
    if (outcome === 'gap') {
      await readSnapshot();
      // A snapshot from another edge may be older than this frame, so the frame is applied again.
      outcome = feed.take(frame);
    }
    if (outcome === 'applied') {
      onChange();
      copy.keepFrame(text, frame);
      if (copy.isSnapshotDue()) await readSnapshot();
    }
    if (feed.isRevoked) await handleRevocation();
    return outcome;
  };

  const follow = async (): Promise<void> => {
    if (!feed.position || isOutdated)
      await readSnapshot().catch(error => {
        // The stream begins with the current keys, so an untrusted key is not fatal. An edge that has flags can always continue.
        if (!feed.position && !(error instanceof UntrustedKeyError)) throw error;
      });
    if (stopController.signal.aborted) return;
    const { position } = feed;
    for await (const text of upstream.stream(position && positionText(position), stopController.signal)) {
      if (isAnnouncement(text)) {
        await takeKeys(text);
        continue;
      }
      if (text === GAP) {
        await readSnapshot();
        continue;
      }
      await take(text);
      if (stopController.signal.aborted) return;
      if (problem !== undefined) log.warn({}, 'upstream reachable again');
      problem = undefined;
    }
  };

  /**
   * Handles a rejection by upstream. Only a signed revocation of this token counts, because any proxy in between may respond with
   * 401.
   */
  const handleRejection = async ({ body }: UpstreamError): Promise<void> => {
    try {
      feed.take(parseFrame(readSigned(body.trimEnd(), keys)));
    } catch {
      return;
    }
    if (feed.isRevoked) await handleRevocation();
  };

  const run = async (): Promise<void> => {
    while (!stopController.signal.aborted) {
      let waitMs = RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min);
      try {
        await follow();
      } catch (error) {
        if (stopController.signal.aborted) return;
        failures.inc();
        // Logs one line for each kind of problem rather than for each attempt.
        const { message } = error as Error;
        if (message !== problem)
          log.warn({ err: error }, 'upstream unreachable, serving the last known flags');
        problem = message;
        if (error instanceof UpstreamError && (error.status === 401 || error.status === 403)) {
          await handleRejection(error);
          waitMs = REJECTED_RETRY_MS;
        }
      }
      await sleep(waitMs, undefined, { signal: stopController.signal }).catch(() => {});
    }
  };
  const loop = run();

  return {
    stop: async () => {
      stopController.abort();
      await loop;
    },
  };
}

function registerFollowMetrics(
  feed: FeedSource,
  servedState: () => { revision: number } | undefined,
  registry: Registry,
) {
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
      this.set(servedState()?.revision ?? 0);
    },
  });
  const unknownFrames = new Counter({
    name: 'halyard_edge_unknown_frames_total',
    help: 'Frames of a later version that were ignored; update the edge',
    registers,
  });
  let ignoredFrameCount = 0;
  return {
    snapshots: new Counter({
      name: 'halyard_edge_snapshots_total',
      help: 'Snapshots that were read from upstream',
      registers,
    }),
    failures: new Counter({
      name: 'halyard_edge_upstream_failures_total',
      help: 'Failed attempts to read the feed',
      registers,
    }),
    /** Counts an ignored frame. Returns whether it is the first one. */
    countIgnored: () => {
      unknownFrames.inc();
      return ignoredFrameCount++ === 0;
    },
  };
}
