import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Reader } from '../../platform/db/database.ts';
import { presentEventTo } from '../events/present.ts';
import type { EventRow } from '../events/store.ts';
import { readAccess } from './access.ts';
import { eventFrame } from './frames.ts';
import { end, type Frame, type Listener, send } from './listener.ts';
import { matches } from './matches.ts';
import type { StreamSearch } from './parameters.ts';
import { findTexts } from './store.ts';

/** Work for many listeners blocks the event loop, so it yields after this many milliseconds or sent bytes. */
const SLICE_MS = 20;
const SLICE_BYTES = 1_048_576;

export const INVALID_CREDENTIAL = 'the session or token is no longer valid';

/**
 * Sends each listener the events that match its search and that it can see, and moves it to `lastId`. Everything is read before
 * anything is sent, so that after an error no listener has moved and the same events can be delivered again.
 */
export async function deliver(
  db: Reader,
  events: EventRow[],
  lastId: number,
  listeners: Listener[],
): Promise<void> {
  const matchesByListener = new Map<Listener, EventRow[]>();
  await forEachListener(listeners, listener => {
    const matchingEvents = events.filter(
      event => event.id > listener.position && matches(event, listener.search, () => true),
    );
    if (matchingEvents.length > 0) matchesByListener.set(listener, matchingEvents);
    return 0;
  });
  const receivers = [...matchesByListener.keys()];
  const texts = new Set(receivers.flatMap(({ search }) => search.query || []));
  const ids = events.map(({ id }) => id);
  const idsByText = await findTexts(db, ids, [...texts]);
  const access =
    receivers.length === 0
      ? undefined
      : await readAccess(db, receivers, [...matchesByListener.values()].flat());
  const frames = makeFrameEncoder();

  await forEachListener(listeners, listener => {
    const isAdmin = access?.isAdmin(listener);
    const matchingEvents = matchesByListener.get(listener) ?? [];
    if (matchingEvents.length > 0 && isAdmin === undefined) {
      end(listener, INVALID_CREDENTIAL);
      return 0;
    }
    const visibleEvents = matchingEvents.filter(
      event =>
        matches(event, listener.search, text => idsByText.get(text)?.has(event.id) ?? false) &&
        access?.canSee(listener, event),
    );
    const canRead = (project: string) => access?.canRead(listener, project) ?? false;
    const listenerFrames = frames.encode(visibleEvents, isAdmin ?? false, canRead, listener.search);
    return send(listener, listenerFrames, Math.max(lastId, listener.position), frames.join).bytes;
  });
}

/**
 * Creates an encoder that encodes events only when they are sent. Many listeners get the same events, so each list of events is
 * encoded once. The cache ignores `canRead`, because apart from root admins only one user sees an event that lists projects.
 */
export function makeFrameEncoder() {
  const encodedFrames = new Map<string, Buffer>();
  const joinedFrames = new Map<string, Buffer>();
  const getOrMake = (cache: Map<string, Buffer>, key: string, make: () => Buffer): Buffer => {
    const bytes = cache.get(key) ?? make();
    cache.set(key, bytes);
    return bytes;
  };
  return {
    encode: (
      events: EventRow[],
      isAdmin: boolean,
      canRead: (project: string) => boolean,
      { parts = false }: StreamSearch,
    ): Frame[] =>
      events.map(event => {
        const key = `${isAdmin} ${parts} ${event.id}`;
        const encode = () => eventFrame(presentEventTo({ isAdmin }, event, canRead, { parts }));
        return { id: event.id, key, bytes: () => getOrMake(encodedFrames, key, encode) };
      }),
    join: (frames: Frame[]): Buffer =>
      getOrMake(joinedFrames, frames.map(({ key }) => key).join(), () =>
        Buffer.concat(frames.map(({ bytes }) => bytes())),
      ),
  };
}

/** Calls `work` for each listener, and regularly yields to the event loop. `work` returns how many bytes were sent. */
async function forEachListener(listeners: Listener[], work: (listener: Listener) => number): Promise<void> {
  let sliceStart = performance.now();
  let bytes = 0;
  for (const listener of listeners) {
    bytes += work(listener);
    if (performance.now() - sliceStart < SLICE_MS && bytes < SLICE_BYTES) continue;
    await yieldToEventLoop();
    sliceStart = performance.now();
    bytes = 0;
  }
}
