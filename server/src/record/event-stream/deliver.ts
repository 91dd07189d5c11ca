import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reader } from '../../platform/db/database.ts';
import { presentEventTo } from '../events/present.ts';
import type { EventRow } from '../events/store.ts';
import { readAccess } from './access.ts';
import { eventFrame } from './frames.ts';
import { end, type Frame, type Listener, send } from './listener.ts';
import { matches } from './matches.ts';
import type { StreamSearch } from './parameters.ts';
import { findTexts } from './store.ts';

/** Work for many listeners blocks the event loop, so it yields after this time, or after sending that much. */
const TURN_MS = 20;
const TURN_BYTES = 1_048_576;

export const NOT_VALID = 'the session or token is no longer valid';

/**
 * Sends each listener the events that match its search and that it can see, and moves it to `upTo`. Everything is read before
 * anything is sent: after an error no listener has moved, and the same events can be delivered again.
 */
export async function deliver(
  db: Reader,
  events: EventRow[],
  upTo: number,
  listeners: Listener[],
): Promise<void> {
  const found = new Map<Listener, EventRow[]>();
  await inTurns(listeners, listener => {
    const own = events.filter(
      event => event.id > listener.position && matches(event, listener.search, () => true),
    );
    if (own.length > 0) found.set(listener, own);
    return 0;
  });
  const concerned = [...found.keys()];
  const texts = new Set(concerned.flatMap(({ search }) => search.query || []));
  const ids = events.map(({ id }) => id);
  const idsOf = await findTexts(db, ids, [...texts]);
  const access =
    concerned.length === 0 ? undefined : await readAccess(db, concerned, [...found.values()].flat());
  const frames = makeFrames();

  await inTurns(listeners, listener => {
    const isAdmin = access?.isAdmin(listener);
    const own = found.get(listener) ?? [];
    if (own.length > 0 && isAdmin === undefined) {
      end(listener, NOT_VALID);
      return 0;
    }
    const visible = own.filter(
      event =>
        matches(event, listener.search, text => idsOf.get(text)?.has(event.id) ?? false) &&
        access?.canSee(listener, event),
    );
    const canRead = (project: string) => access?.canRead(listener, project) ?? false;
    const shown = frames.of(visible, isAdmin ?? false, canRead, listener.search);
    return send(listener, shown, Math.max(upTo, listener.position), frames.join).bytes;
  });
}

/**
 * Encodes events when they are sent. Many listeners get the same events, so each list of them is encoded once. `canRead` makes no
 * difference to that: only one user sees an event that lists projects without being a root admin.
 */
export function makeFrames() {
  const encoded = new Map<string, Buffer>();
  const joined = new Map<string, Buffer>();
  const once = (made: Map<string, Buffer>, key: string, make: () => Buffer): Buffer => {
    const bytes = made.get(key) ?? make();
    made.set(key, bytes);
    return bytes;
  };
  return {
    of: (
      events: EventRow[],
      isAdmin: boolean,
      canRead: (project: string) => boolean,
      { parts = false }: StreamSearch,
    ): Frame[] =>
      events.map(event => {
        const key = `${isAdmin} ${parts} ${event.id}`;
        const encode = () => eventFrame(presentEventTo({ isAdmin }, event, canRead, { parts }));
        return { id: event.id, key, bytes: () => once(encoded, key, encode) };
      }),
    join: (frames: Frame[]): Buffer =>
      once(joined, frames.map(({ key }) => key).join(), () =>
        Buffer.concat(frames.map(({ bytes }) => bytes())),
      ),
  };
}

/** Calls `work`, which returns how many bytes it sent, for each listener. */
async function inTurns(listeners: Listener[], work: (listener: Listener) => number): Promise<void> {
  let turn = performance.now();
  let bytes = 0;
  for (const listener of listeners) {
    bytes += work(listener);
    if (performance.now() - turn < TURN_MS && bytes < TURN_BYTES) continue;
    await nextTurn();
    turn = performance.now();
    bytes = 0;
  }
}
