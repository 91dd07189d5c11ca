import type { Reader } from '../../platform/db/database.ts';
import type { LongReads } from '../../platform/http/protection/long-reads.ts';
import { readEventBatch } from '../events/batch.ts';
import { readAccess } from './access.ts';
import { deliver, makeFrames, NOT_VALID } from './deliver.ts';
import { CATCH_UP_EVENTS, CATCH_UP_IDS, end, hasRoom, type Listener, send } from './listener.ts';
import { readMatches } from './store.ts';
import { makeTurns } from './turns.ts';

type Log = Record<'warn', (fields: object, message: string) => void>;

/** For the long-read limits, all streams together count as one caller, which uses two of the six slots. */
const CALLER = 'event streams';
const CONCURRENCY = 2;
/** Less than half of a batch. */
const GROUPED_WITHIN = CATCH_UP_EVENTS / 2 - 1;
const FEW_EVENTS = 4;
const RETRY_MS = 1_000;

export type CatchUp = {
  startNext: () => void;
  /** The listener can take more. */
  onRoom: (listener: Listener) => void;
  countBehind: () => number;
};

/**
 * Reads for the listeners that are behind, a batch at a time. Callers take turns, and so do the listeners of one caller: the
 * listener whose turn is over goes to the end of the set. `target` is the position of the listeners that are not behind.
 * `checkEpoch` throws if what was read may belong to a different epoch than the target.
 */
export function makeCatchUp(
  longReads: LongReads,
  listeners: Set<Listener>,
  target: () => number | undefined,
  checkEpoch: (db: Reader) => Promise<void>,
  log: Log,
): CatchUp {
  const turns = makeTurns();
  let running = 0;
  let notBefore = 0;

  const isBehind = (listener: Listener) => listener.position < (target() ?? 0);

  const isReady = (listener: Listener) => !listener.isCatchingUp && isBehind(listener) && hasRoom(listener);

  function startNext(): void {
    if (Date.now() < notBefore) return;
    while (running < CONCURRENCY) {
      const next = turns.next([...listeners].filter(isReady));
      if (!next) return;
      const group = groupOf(next);
      turns.end(group);
      for (const one of group) {
        one.isCatchingUp = true;
        listeners.delete(one);
        listeners.add(one);
      }
      void catchUp(group);
    }
  }

  /** After a restart many clients return at nearly the same position. Together they cost as much as one. */
  function groupOf(listener: Listener): Listener[] {
    const fits = (one: Listener) =>
      Math.abs(one.position - listener.position) <= GROUPED_WITHIN && one.catchUpEvents === CATCH_UP_EVENTS;
    // A client that is far behind is alone, so that its filters apply in the statement.
    const isFar = listener.position < (target() ?? 0) - CATCH_UP_IDS;
    return isFar || !fits(listener) ? [listener] : [...listeners].filter(one => isReady(one) && fits(one));
  }

  async function catchUp(group: Listener[]): Promise<void> {
    running++;
    try {
      const [only] = group;
      if (only && group.length === 1) await sendNext(only, target() ?? 0);
      else await sendShared(group, target() ?? 0);
      for (const one of group) one.catchUpIds = Math.min(one.catchUpIds * 2, CATCH_UP_IDS);
    } catch (error) {
      // The clients stay connected. A smaller range helps if the read took too long.
      log.warn({ err: error, ids: group[0]?.catchUpIds }, 'event stream catch-up failed');
      for (const one of group) one.catchUpIds = Math.max(1, Math.floor(one.catchUpIds / 4));
      notBefore = Date.now() + RETRY_MS;
    }
    running--;
    for (const one of group) one.isCatchingUp = false;
    startNext();
  }

  /** A listener that is already past the batch keeps its position. */
  async function sendShared(group: Listener[], target: number): Promise<void> {
    await longReads.run({ caller: CALLER }, async db => {
      const first = Math.min(...group.map(({ position }) => position));
      const { events, upTo } = await readEventBatch(db, { after: first, upTo: target }, CATCH_UP_EVENTS);
      await checkEpoch(db);
      await deliver(db, events, upTo, group);
      // Large events, or a slow client: it continues alone, and reads only as much as it can take.
      for (const one of group) if (one.position < upTo) one.catchUpEvents = FEW_EVENTS;
    });
  }

  async function sendNext(listener: Listener, target: number): Promise<void> {
    await longReads.run({ caller: CALLER }, async db => {
      const { actor, search, position, catchUpIds, catchUpEvents } = listener;
      const range = { after: position, upTo: Math.min(position + catchUpIds, target) };
      const { events, upTo } = await readMatches(db, actor, search, range, catchUpEvents);
      await checkEpoch(db);
      const access = await readAccess(db, [listener], events);
      const isAdmin = access.isAdmin(listener);
      if (isAdmin === undefined) return end(listener, NOT_VALID);
      if (isAdmin !== actor.isAdmin) {
        // The events were read for a different kind of caller, so the next turn reads them again.
        listener.actor = { ...actor, isAdmin };
        return;
      }
      const frames = makeFrames();
      const shown = frames.of(events, isAdmin, project => access.canRead(listener, project), search);
      const sent = send(listener, shown, upTo, frames.join).frames;
      // Large events: the next read returns no more of them than the client accepted now.
      const next = sent < events.length ? sent : catchUpEvents * 2;
      listener.catchUpEvents = Math.max(1, Math.min(next, CATCH_UP_EVENTS));
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
