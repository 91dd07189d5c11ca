import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reader } from '../../platform/db/database.ts';
import { presentEventTo } from '../events/present.ts';
import type { EventRow } from '../events/store.ts';
import { readAccess } from './access.ts';
import { eventFrame } from './frames.ts';
import { end, type Frame, type Listener, send } from './listener.ts';
import { matches } from './matches.ts';
import { findTexts } from './store.ts';

/** Work for many listeners blocks the event loop, so it yields after this time. */
const TURN_MS = 20;

export const NOT_VALID = 'the session or token is no longer valid';

/**
 * Sends each listener those of the events that match its search and that it can see, and moves it to `upTo`. Everything is read
 * before anything is sent: after an error no listener has moved, and the same events can be delivered again.
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
    if (own.length > 0 && isAdmin === undefined) return end(listener, NOT_VALID);
    const visible = own.filter(
      event =>
        matches(event, listener.search, text => idsOf.get(text)?.has(event.id) ?? false) &&
        access?.canSee(listener, event),
    );
    const canRead = (project: string) => access?.canRead(listener, project) ?? false;
    const shown = frames.of(visible, isAdmin ?? false, canRead);
    send(listener, shown, Math.max(upTo, listener.position), frames.join);
  });
}

/**
 * Encodes events. Many listeners get the same ones, so each list of them is encoded once. `canRead` makes no difference to that: only
 * one user sees an event that lists projects without being a root admin.
 */
export function makeFrames() {
  const encoded = new Map<string, Frame>();
  const joined = new Map<string, Buffer>();
  return {
    of: (events: EventRow[], forAdmin: boolean, canRead: (project: string) => boolean): Frame[] =>
      events.map(event => {
        const key = `${forAdmin} ${event.id}`;
        const frame = encoded.get(key) ?? encode(event, forAdmin, canRead, key);
        encoded.set(key, frame);
        return frame;
      }),
    join: (frames: Frame[]): Buffer => {
      const key = frames.map(frame => frame.key).join();
      const bytes = joined.get(key) ?? Buffer.concat(frames.map(frame => frame.bytes));
      joined.set(key, bytes);
      return bytes;
    },
  };
}

const encode = (
  event: EventRow,
  forAdmin: boolean,
  canRead: (project: string) => boolean,
  key: string,
): Frame => ({
  id: event.id,
  key,
  bytes: eventFrame(presentEventTo({ isAdmin: forAdmin }, event, canRead)),
});

async function inTurns(listeners: Listener[], work: (listener: Listener) => void): Promise<void> {
  let turn = performance.now();
  for (const listener of listeners) {
    work(listener);
    if (performance.now() - turn < TURN_MS) continue;
    await nextTurn();
    turn = performance.now();
  }
}
