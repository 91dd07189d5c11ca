import { setTimeout as sleep } from 'node:timers/promises';
import { makeOpenStreams } from '@halyard/plane/platform/http/output/open-streams.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { epochChangeError } from '../epoch/one-epoch.ts';
import { readEpoch } from '../epoch/store.ts';
import type { EpochWatch } from '../epoch/watch.ts';
import { readEventBatch } from '../events/batch.ts';
import { readLastAssigned, readWatermark } from '../events/tail.ts';
import { readAccess } from './access.ts';
import { makeCatchUp } from './catch-up.ts';
import { deliver, INVALID_CREDENTIAL } from './deliver.ts';
import { makeStreamSlots, type StreamLimits } from './limits.ts';
import { end, hasRoom, type Listener, makeListener, reset, start, TRANSPORT } from './listener.ts';
import { rejectUnassigned, type StreamSearch } from './parameters.ts';
import { makeTrail, type Trail } from './trail.ts';

type History = { epoch: string; trail: Trail };
type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;

export type EventStream = {
  /** Connects a client, or rejects it if there are too many. */
  listen: (caller: string, actor: Actor, search: StreamSearch) => Promise<Listener>;
  /** Ends all streams, and waits briefly so that their clients can read the end. */
  close: () => Promise<void>;
  state: () => { listeners: number; behind: number; lagMs: number };
};

/**
 * New events are found by polling. A notification at each commit would make all writers wait for each other, and an event can
 * become readable later than its own commit, when an older change ends.
 */
const POLL_MS = 100;
const RETRY_MS = 1_000;
/** If no events arrive, a stream ends at most this long after its token was revoked. */
const ACCESS_CHECK_MS = 5_000;
const EVENTS_PER_BATCH = 100;
/** A listener without room gets no events until its client has read some, so the unread bytes are already bounded. */
const OPEN_LIMITS = { unreadBytes: Number.POSITIVE_INFINITY, endWithinMs: 500 };

/**
 * Tails the log once for all clients of this server, as long as there are any. A client that is behind the shared position, after a
 * reconnection or because it reads slowly, catches up with separate reads. A position moves only once everything up to it was sent,
 * so each client gets every event once and in order, even if the database is unreachable for a while. If the database loses events
 * that a client has, in a failover or a restore, the client's stream ends with the id after which to resume.
 */
export function makeEventStream(
  db: Db,
  longReads: LongReads,
  limits: StreamLimits,
  epochs: EpochWatch,
  log: Log,
): EventStream {
  const openStreams = makeOpenStreams(TRANSPORT, OPEN_LIMITS);
  const listeners = openStreams.all;
  const slots = makeStreamSlots(limits);
  /** The position of the clients that are not behind. Undefined while no client is connected. */
  let position: number | undefined;
  /** The epoch of the position, and the last events up to the position. */
  let history: History | undefined;
  let shouldCheckEpoch = false;
  let resetReason = 'the database was restored or failed over';
  let currentRun: Promise<void> | undefined;
  let isFailing = false;
  let caughtUpAt = 0;
  let accessCheckedAt = 0;
  const catchUp = makeCatchUp(longReads, listeners, () => position, checkEpoch, log);
  epochs.onChange(({ reason }) => {
    shouldCheckEpoch = true;
    resetReason = reason.replace(/\.$/, '');
  });

  async function listen(caller: string, actor: Actor, { after, ...search }: StreamSearch): Promise<Listener> {
    const release = slots.take(caller);
    const listener = makeListener(caller, actor, search, catchUp.onRoom);
    listener.stream.once('close', () => {
      openStreams.remove(listener);
      release();
    });
    try {
      if (after !== undefined) rejectUnassigned(after, await readLastAssigned(db));
      const epoch = await readEpoch(db);
      start(listener, after ?? (await readWatermark(db)), epoch);
    } catch (error) {
      listener.stream.destroy();
      throw error;
    }
    openStreams.add(listener);
    // If the request began just before the server closed its port, the stream ends, and the client resumes after the position it
    // just got.
    if (openStreams.isClosing) openStreams.dismiss(listener);
    else currentRun ??= run();
    return listener;
  }

  async function run(): Promise<void> {
    caughtUpAt = Date.now();
    accessCheckedAt = Date.now();
    while (listeners.size > 0) {
      const hasMore = await readOnce();
      catchUp.startNext();
      if (!hasMore) await sleep(isFailing ? RETRY_MS : POLL_MS);
    }
    // These are reset in the same event-loop turn that found no listener, so that the next listener starts a new run.
    position = undefined;
    history = undefined;
    currentRun = undefined;
  }

  /** Reads the next batch, or logs why reading failed. Returns whether more events are waiting. */
  async function readOnce(): Promise<boolean> {
    try {
      if (shouldCheckEpoch) await enterEpoch();
      const hasMore = await readBatch();
      if (Date.now() - accessCheckedAt > ACCESS_CHECK_MS) await checkAccess();
      if (!hasMore) caughtUpAt = Date.now();
      if (isFailing) log.warn({ position }, 'event stream read recovered');
      isFailing = false;
      return hasMore;
    } catch (error) {
      // The error is logged once per outage. The clients stay connected and miss nothing.
      if (!isFailing) log.error({ err: error }, 'event stream read failed');
      isFailing = true;
      return false;
    }
  }

  /** Reads the next events for the clients that are not behind. Events are sent only if they belong to the position's epoch. */
  async function readBatch(): Promise<boolean> {
    const { epoch, trail } = history ?? (await startReading());
    const startPosition = position ?? 0;
    const liveListeners = [...listeners].filter(
      listener => listener.position >= startPosition && hasRoom(listener),
    );
    const watermark = await readWatermark(db);
    if (watermark === startPosition) return false;
    const { events, lastId } = await readEventBatch(
      db,
      { afterId: startPosition, lastId: watermark },
      EVENTS_PER_BATCH,
    );
    if ((await readEpoch(db)) !== epoch) {
      await enterEpoch();
      return true;
    }
    if (watermark < startPosition) return false;
    await deliver(db, events, lastId, liveListeners);
    trail.add(events);
    position = lastId;
    return lastId < watermark;
  }

  /** Reads the epoch before the position, so that the next read notices an epoch that changes in between. */
  async function startReading(): Promise<History> {
    const epoch = await readEpoch(db);
    position = await readWatermark(db);
    history = { epoch, trail: await makeTrail(db, position) };
    return history;
  }

  /** Moves the position into the current epoch. Ends the streams whose clients have events that the database lost. */
  async function enterEpoch(): Promise<void> {
    if (position === undefined || history === undefined) return;
    const epoch = await readEpoch(db);
    const watermark = await readWatermark(db);
    const keptPosition = Math.min(await history.trail.findCommonPosition(db, position), watermark);
    const trail = await makeTrail(db, keptPosition);
    if ((await readEpoch(db)) !== epoch) throw epochChangeError();
    const isLost = keptPosition < position;
    if (isLost) log.warn({ position, kept: keptPosition }, 'event streams reset');
    for (const listener of listeners) {
      // A catch-up that is running may have read events that are now lost, so its listener counts as ahead.
      const isAhead =
        listener.position > (isLost ? keptPosition : watermark) || (isLost && listener.isCatchingUp);
      if (isAhead && listener.epoch !== epoch) {
        const resumePosition = Math.min(listener.position, keptPosition);
        reset(listener, `${resetReason}. Events after ${keptPosition} are lost. Reconnect.`, resumePosition);
      }
      listener.epoch = epoch;
    }
    position = keptPosition;
    history = { epoch, trail };
    shouldCheckEpoch = false;
  }

  async function checkEpoch(reader: Reader): Promise<void> {
    if ((await readEpoch(reader)) === history?.epoch) return;
    shouldCheckEpoch = true;
    throw epochChangeError();
  }

  async function checkAccess(): Promise<void> {
    const checkedListeners = [...listeners];
    const access = await readAccess(db, checkedListeners, []);
    for (const listener of checkedListeners)
      if (access.isAdmin(listener) === undefined) end(listener, INVALID_CREDENTIAL);
    accessCheckedAt = Date.now();
  }

  async function close(): Promise<void> {
    await openStreams.close();
    await Promise.race([currentRun, sleep(RETRY_MS)]);
  }

  const state = () => ({
    listeners: listeners.size,
    behind: catchUp.countBehind(),
    lagMs: listeners.size === 0 ? 0 : Date.now() - caughtUpAt,
  });

  return { listen, close, state };
}
