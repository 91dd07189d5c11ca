import type { Reader } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { readEventBatch } from '../events/batch.ts';
import { readAccess } from './access.ts';
import { deliver, INVALID_CREDENTIAL, makeFrameEncoder } from './deliver.ts';
import { CATCH_UP_EVENTS, CATCH_UP_IDS, end, hasRoom, type Listener, send } from './listener.ts';
import { readMatches } from './store.ts';
import { makeTurns } from './turns.ts';

type Log = Record<'warn', (fields: object, message: string) => void>;

/** The long-read limits count all streams together as one caller, and catch-up uses two of the six slots. */
const STREAMS_CALLER = 'event streams';
const CONCURRENCY = 2;
/** The maximum distance between the positions of listeners that share a read, which is less than half a batch. */
const MAX_GROUP_DISTANCE = CATCH_UP_EVENTS / 2 - 1;
const SLOW_CLIENT_EVENTS = 4;
const RETRY_MS = 1_000;

export type CatchUp = {
  startNext: () => void;
  /** Must be called when a listener has room for more events. */
  onRoom: (listener: Listener) => void;
  countBehind: () => number;
};

/**
 * Reads events for the listeners that are behind, a batch at a time. Callers take turns, and so do the listeners of one caller,
 * because a listener moves to the end of the set after its turn. `target` returns the position of the listeners that are not
 * behind. `checkEpoch` throws if what was read may belong to a different epoch than the target.
 */
export function makeCatchUp(
  longReads: LongReads,
  listeners: Set<Listener>,
  target: () => number | undefined,
  checkEpoch: (db: Reader) => Promise<void>,
  log: Log,
): CatchUp {
  const turns = makeTurns();
  let runningReadCount = 0;
  let retryAt = 0;

  const isBehind = (listener: Listener) => listener.position < (target() ?? 0);

  const isReady = (listener: Listener) => !listener.isCatchingUp && isBehind(listener) && hasRoom(listener);

  function startNext(): void {
    if (Date.now() < retryAt) return;
    while (runningReadCount < CONCURRENCY) {
      const next = turns.next([...listeners].filter(isReady));
      if (!next) return;
      const group = findGroup(next);
      turns.end(group);
      for (const member of group) {
        member.isCatchingUp = true;
        listeners.delete(member);
        listeners.add(member);
      }
      void catchUp(group);
    }
  }

  /**
   * Returns the listeners that can share a read with this one. After a restart, many clients reconnect at nearly the same position,
   * and a shared read costs as much as a single one.
   */
  function findGroup(listener: Listener): Listener[] {
    const fits = (other: Listener) =>
      Math.abs(other.position - listener.position) <= MAX_GROUP_DISTANCE &&
      other.catchUpEvents === CATCH_UP_EVENTS;
    // A client that is far behind gets its own read, so that its filters apply in the statement.
    const isFarBehind = listener.position < (target() ?? 0) - CATCH_UP_IDS;
    return isFarBehind || !fits(listener)
      ? [listener]
      : [...listeners].filter(candidate => isReady(candidate) && fits(candidate));
  }

  async function catchUp(group: Listener[]): Promise<void> {
    runningReadCount++;
    try {
      const [first] = group;
      if (first && group.length === 1) await sendNext(first, target() ?? 0);
      else await sendShared(group, target() ?? 0);
      for (const listener of group) listener.catchUpIds = Math.min(listener.catchUpIds * 2, CATCH_UP_IDS);
    } catch (error) {
      // The clients stay connected. A smaller range helps if the read took too long.
      log.warn({ err: error, ids: group[0]?.catchUpIds }, 'event stream catch-up failed');
      for (const listener of group) listener.catchUpIds = Math.max(1, Math.floor(listener.catchUpIds / 4));
      retryAt = Date.now() + RETRY_MS;
    }
    runningReadCount--;
    for (const listener of group) listener.isCatchingUp = false;
    startNext();
  }

  /** Sends one batch to a group. A listener that is already past the batch keeps its position. */
  async function sendShared(group: Listener[], target: number): Promise<void> {
    await longReads.run({ caller: STREAMS_CALLER }, async db => {
      const lowestPosition = Math.min(...group.map(({ position }) => position));
      const { events, lastId } = await readEventBatch(
        db,
        { afterId: lowestPosition, lastId: target },
        CATCH_UP_EVENTS,
      );
      await checkEpoch(db);
      await deliver(db, events, lastId, group);
      // A client that is slow or gets large events continues alone and reads only as much as it can take.
      for (const listener of group)
        if (listener.position < lastId) listener.catchUpEvents = SLOW_CLIENT_EVENTS;
    });
  }

  async function sendNext(listener: Listener, target: number): Promise<void> {
    await longReads.run({ caller: STREAMS_CALLER }, async db => {
      const { actor, search, position, catchUpIds, catchUpEvents } = listener;
      const range = { afterId: position, lastId: Math.min(position + catchUpIds, target) };
      const { events, lastId } = await readMatches(db, actor, search, range, catchUpEvents);
      await checkEpoch(db);
      const access = await readAccess(db, [listener], events);
      const isAdmin = access.isAdmin(listener);
      if (isAdmin === undefined) return end(listener, INVALID_CREDENTIAL);
      if (isAdmin !== actor.isAdmin) {
        // The events were read for a different kind of caller, so the next turn reads them again.
        listener.actor = { ...actor, isAdmin };
        return;
      }
      const frames = makeFrameEncoder();
      const encodedFrames = frames.encode(
        events,
        isAdmin,
        project => access.canRead(listener, project),
        search,
      );
      const sentFrames = send(listener, encodedFrames, lastId, frames.join).frames;
      // If the events are large, the next read returns no more of them than the client accepted this time.
      const nextLimit = sentFrames < events.length ? sentFrames : catchUpEvents * 2;
      listener.catchUpEvents = Math.max(1, Math.min(nextLimit, CATCH_UP_EVENTS));
    });
  }

  return {
    startNext,
    onRoom: listener => {
      if (isBehind(listener)) startNext();
    },
    countBehind: () => [...listeners].filter(isBehind).length,
  };
}
