import { setTimeout as sleep } from 'node:timers/promises';
import { makeOpenStreams } from '../../../../plane/src/platform/http/output/open-streams.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { epochChanged } from '../epoch/one-epoch.ts';
import { readEpoch } from '../epoch/store.ts';
import type { EpochWatch } from '../epoch/watch.ts';
import { readEventBatch } from '../events/batch.ts';
import { readLastAssigned, readWatermark } from '../events/tail.ts';
import { readAccess } from './access.ts';
import { makeCatchUp } from './catch-up.ts';
import { deliver, NOT_VALID } from './deliver.ts';
import { makeStreamSlots, type StreamLimits } from './limits.ts';
import { end, hasRoom, type Listener, makeListener, reset, start, TRANSPORT } from './listener.ts';
import { rejectUnassigned, type StreamSearch } from './parameters.ts';
import { makeTrail, type Trail } from './trail.ts';

type History = { epoch: string; trail: Trail };
type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;

export type EventStream = {
  /** Connects a client, or rejects it if there are too many. */
  listen: (caller: string, actor: Actor, search: StreamSearch) => Promise<Listener>;
  /** Ends all streams and waits a moment until their clients have read the end. */
  close: () => Promise<void>;
  state: () => { listeners: number; behind: number; lagMs: number };
};

/**
 * New events are found by polling. A notification at each commit would make all writers wait for each other, and an event can
 * become readable later than its own commit: when an older change ends.
 */
const POLL_MS = 100;
const RETRY_MS = 1_000;
/** Without events, a stream ends this long after its token was revoked. */
const ACCESS_CHECK_MS = 5_000;
const EVENTS_PER_BATCH = 100;
/** A listener without room gets no events until it has read some, so its unread bytes are bounded already. */
const OPEN_LIMITS = { unreadBytes: Number.POSITIVE_INFINITY, endWithinMs: 500 };

/**
 * Tails the log once for all clients of this server, while there is a client. A client that is behind the shared position catches
 * up with separate reads: after a reconnection, or because it reads slowly. A position moves only when everything up to it was
 * sent, so each client gets every event once and in order, even if the database is unreachable for a while. If the database loses
 * events that a client has, in a failover or a restore, its stream ends and says after which id to resume.
 */
export function makeEventStream(
  db: Db,
  longReads: LongReads,
  limits: StreamLimits,
  epochs: EpochWatch,
  log: Log,
): EventStream {
  const open = makeOpenStreams(TRANSPORT, OPEN_LIMITS);
  const listeners = open.all;
  const slots = makeStreamSlots(limits);
  /** The position of the clients that are not behind. Undefined while nothing is read. */
  let position: number | undefined;
  /** The epoch of the position, and the events before it. */
  let history: History | undefined;
  let isDoubtful = false;
  let why = 'the database was restored or failed over';
  let running: Promise<void> | undefined;
  let failing = false;
  let caughtUpAt = 0;
  let accessCheckedAt = 0;
  const catchUp = makeCatchUp(longReads, listeners, () => position, checkEpoch, log);
  epochs.onChange(({ reason }) => {
    isDoubtful = true;
    why = reason.replace(/\.$/, '');
  });

  async function listen(caller: string, actor: Actor, { after, ...search }: StreamSearch): Promise<Listener> {
    const release = slots.take(caller);
    const listener = makeListener(caller, actor, search, catchUp.onRoom);
    listener.stream.once('close', () => {
      open.remove(listener);
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
    open.add(listener);
    // The request began just before the server closed its port. The client resumes after the position that it just got.
    if (open.isClosing) open.dismiss(listener);
    else running ??= run();
    return listener;
  }

  async function run(): Promise<void> {
    caughtUpAt = Date.now();
    accessCheckedAt = Date.now();
    while (listeners.size > 0) {
      const more = await readOnce();
      catchUp.startNext();
      if (!more) await sleep(failing ? RETRY_MS : POLL_MS);
    }
    // Set in the same turn that found no listener, so that the next listener starts a new run.
    position = undefined;
    history = undefined;
    running = undefined;
  }

  /** Returns whether more events are waiting. */
  async function readOnce(): Promise<boolean> {
    try {
      if (isDoubtful) await enterEpoch();
      const more = await readBatch();
      if (Date.now() - accessCheckedAt > ACCESS_CHECK_MS) await checkAccess();
      if (!more) caughtUpAt = Date.now();
      if (failing) log.warn({ position }, 'event stream reads again');
      failing = false;
      return more;
    } catch (error) {
      // Once per outage. The clients stay connected and miss nothing.
      if (!failing) log.error({ err: error }, 'event stream read failed');
      failing = true;
      return false;
    }
  }

  /** Reads the next events for the clients that are not behind. Events are sent only if they belong to the position's epoch. */
  async function readBatch(): Promise<boolean> {
    const { epoch, trail } = history ?? (await begin());
    const after = position ?? 0;
    const live = [...listeners].filter(listener => listener.position >= after && hasRoom(listener));
    const watermark = await readWatermark(db);
    if (watermark === after) return false;
    const { events, upTo } = await readEventBatch(db, { after, upTo: watermark }, EVENTS_PER_BATCH);
    if ((await readEpoch(db)) !== epoch) {
      await enterEpoch();
      return true;
    }
    if (watermark < after) return false;
    await deliver(db, events, upTo, live);
    trail.add(events);
    position = upTo;
    return upTo < watermark;
  }

  /** The epoch is read first: if it changes meanwhile, the next read notices it. */
  async function begin(): Promise<History> {
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
    const kept = Math.min(await history.trail.commonWith(db, position), watermark);
    const trail = await makeTrail(db, kept);
    if ((await readEpoch(db)) !== epoch) throw epochChanged();
    const isLost = kept < position;
    if (isLost) log.warn({ position, kept }, 'event streams reset');
    for (const listener of listeners) {
      // Whatever a catch-up has already read is no longer sent.
      const isAhead = listener.position > (isLost ? kept : watermark) || (isLost && listener.isCatchingUp);
      if (isAhead && listener.epoch !== epoch) {
        const resumed = Math.min(listener.position, kept);
        reset(listener, `${why}. Events after ${kept} are lost. Reconnect.`, resumed);
      }
      listener.epoch = epoch;
    }
    position = kept;
    history = { epoch, trail };
    isDoubtful = false;
  }

  async function checkEpoch(reader: Reader): Promise<void> {
    if ((await readEpoch(reader)) === history?.epoch) return;
    isDoubtful = true;
    throw epochChanged();
  }

  async function checkAccess(): Promise<void> {
    const checked = [...listeners];
    const access = await readAccess(db, checked, []);
    for (const listener of checked) if (access.isAdmin(listener) === undefined) end(listener, NOT_VALID);
    accessCheckedAt = Date.now();
  }

  async function close(): Promise<void> {
    await open.close();
    await Promise.race([running, sleep(RETRY_MS)]);
  }

  const state = () => ({
    listeners: listeners.size,
    behind: catchUp.countBehind(),
    lagMs: listeners.size === 0 ? 0 : Date.now() - caughtUpAt,
  });

  return { listen, close, state };
}
