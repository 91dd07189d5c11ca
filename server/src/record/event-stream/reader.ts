import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { readEventBatch } from '../events/batch.ts';
import { readLastAssigned, readWatermark } from '../events/tail.ts';
import { readAccess } from './access.ts';
import { makeCatchUp } from './catch-up.ts';
import { deliver, NOT_VALID } from './deliver.ts';
import { makeStreamPlaces, type StreamLimits, unavailable } from './limits.ts';
import { beat, end, hasRoom, type Listener, makeListener, start } from './listener.ts';
import { rejectUnassigned, type StreamSearch } from './parameters.ts';

type Log = Record<'warn' | 'error', (fields: object, message: string) => void>;

export type EventStream = {
  /** Connects a client, or rejects it if there are too many. */
  listen: (caller: string, actor: Actor, search: StreamSearch) => Promise<Listener>;
  /** Ends all streams and waits a moment until their clients have read the end. */
  close: () => Promise<void>;
  state: () => { listeners: number; behind: number; lagMs: number };
};

/**
 * New events are polled for. A notification at each commit would make all writers wait for each other, and an event can become
 * readable later than its own commit: when an older change ends.
 */
const POLL_MS = 100;
const RETRY_MS = 1_000;
/** Without events, a stream ends this long after its token was revoked. */
const ACCESS_CHECK_MS = 5_000;
/** Proxies close connections that are silent for 30 s or longer. */
const HEARTBEAT_MS = 15_000;
const EVENTS_AT_ONCE = 100;
const CLOSE_WITHIN_MS = 1_000;

/**
 * Tails the log once for all clients of this server, while there is a client. A client that is behind the shared position catches
 * up by reads of its own: after a reconnection, or because it reads slowly. A position moves only when everything up to it was
 * sent, so each client gets every event once and in order, also when the database is away for a while.
 */
export function makeEventStream(db: Db, longReads: LongReads, limits: StreamLimits, log: Log): EventStream {
  const listeners = new Set<Listener>();
  const places = makeStreamPlaces(limits);
  /** The position of the clients that are not behind. Undefined while nothing is read. */
  let position: number | undefined;
  let running: Promise<void> | undefined;
  let closing = false;
  let failing = false;
  let caughtUpAt = 0;
  let accessCheckedAt = 0;
  const catchUp = makeCatchUp(longReads, listeners, () => position, log);

  async function listen(caller: string, actor: Actor, { after, ...search }: StreamSearch): Promise<Listener> {
    if (closing) throw unavailable('The server is stopping. Reconnect.', 1);
    const release = places.take(caller);
    const listener = makeListener(caller, actor, search, catchUp.onRoom);
    listener.stream.once('close', () => {
      listeners.delete(listener);
      release();
    });
    try {
      if (after !== undefined) rejectUnassigned(after, await readLastAssigned(db));
      start(listener, after ?? (await readWatermark(db)));
    } catch (error) {
      listener.stream.destroy();
      throw error;
    }
    listeners.add(listener);
    if (closing) end(listener, 'the server is stopping');
    running ??= run();
    return listener;
  }

  async function run(): Promise<void> {
    const heartbeat = setInterval(() => listeners.forEach(beat), HEARTBEAT_MS);
    caughtUpAt = Date.now();
    accessCheckedAt = Date.now();
    while (listeners.size > 0) {
      const more = await readOnce();
      catchUp.startNext();
      if (!more) await sleep(failing ? RETRY_MS : POLL_MS);
    }
    // In the turn that found no listener, so that the next listener starts a new run.
    clearInterval(heartbeat);
    position = undefined;
    running = undefined;
  }

  /** Returns whether more events are waiting. */
  async function readOnce(): Promise<boolean> {
    try {
      position ??= await readWatermark(db);
      const more = await readBatch(position);
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

  async function readBatch(after: number): Promise<boolean> {
    const live = [...listeners].filter(listener => listener.position >= after && hasRoom(listener));
    const watermark = await readWatermark(db);
    if (watermark <= after) return false;
    const { events, upTo } = await readEventBatch(db, { after, upTo: watermark }, EVENTS_AT_ONCE);
    await deliver(db, events, upTo, live);
    position = upTo;
    return upTo < watermark;
  }

  async function checkAccess(): Promise<void> {
    const checked = [...listeners];
    const access = await readAccess(db, checked, []);
    for (const listener of checked) if (access.isAdmin(listener) === undefined) end(listener, NOT_VALID);
    accessCheckedAt = Date.now();
  }

  async function close(): Promise<void> {
    closing = true;
    const closed = [...listeners].map(({ stream }) => once(stream, 'close'));
    for (const listener of listeners) end(listener, 'the server is stopping');
    await Promise.race([Promise.allSettled([...closed, running]), sleep(CLOSE_WITHIN_MS)]);
    for (const { stream } of listeners) stream.destroy();
  }

  const state = () => ({
    listeners: listeners.size,
    behind: catchUp.countBehind(),
    lagMs: listeners.size === 0 ? 0 : Date.now() - caughtUpAt,
  });

  return { listen, close, state };
}
