import { ownerOfPage, setConnection, untilLoggedIn } from '../api/session.ts';
import { wait } from '../api/wait.ts';
import { type Block, blockOf, type Event } from './blocks.ts';

const STREAM = '/api/admin/events/stream';
/** The server sends something every 15 s. After this silence the connection is dead, for example because the computer slept. */
const MAX_SILENCE_MS = 45_000;
/** After a longer absence, reloading the page costs less than receiving all the events in between. */
const MAX_ABSENCE_MS = 120_000;
/** Without a stream, because there are too many or a proxy buffers it, the page is reloaded at this interval. */
const POLL_SECONDS = 30;

export type Handlers = {
  /** The stream begins. Events before it are not sent, so what was loaded before it may be old. */
  onStart: (position: number) => void;
  /** All events up to the position that the user may see. */
  onProgress: (position: number, events: Event[]) => void;
  /** There were changes that the user may not see, and that may change what they see: roles, access, vocabulary. */
  onHidden: () => void;
  /** The database was restored or failed over, and lost events that the page may show. */
  onLost: () => void;
  /** There is currently no stream. Called repeatedly until there is one. */
  onMissing: () => void;
};

class Rejected extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The event stream was rejected with status ${status}.`);
    this.status = status;
  }
}

/** The blocks of a stream, as they arrive. Ends with the connection. */
async function* connect(after: number | undefined, signal: AbortSignal): AsyncGenerator<Block[]> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  try {
    const response = await fetch(after === undefined ? STREAM : `${STREAM}?after=${after}`, {
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok) throw new Rejected(response.status);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; reader; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
      const texts = (rest + value).split('\n\n');
      rest = texts.pop() ?? '';
      yield texts.flatMap(blockOf);
    }
  } catch (error) {
    // A proxy that buffers the stream is not an outage.
    throw silence.signal.aborted && !signal.aborted ? new Rejected(0) : error;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/**
 * Follows the log until the signal aborts, or nobody is logged in. The server sends every event once, in the order of the ids, when all changes that began
 * before it have ended. A tab connects while it is visible, because browsers open six connections to a server over HTTP/1.1, and
 * resumes where it ended. Resuming takes one request, so a tab that is hidden closes its stream immediately.
 */
export async function followEvents(signal: AbortSignal, on: Handlers): Promise<void> {
  let position: number | undefined;
  let heardAt = 0;
  let failures = 0;
  /** Ids since the last block without an event, minus the events that arrived: these belong to changes that the user may not see. */
  let unseen = 0;

  function take(blocks: Block[]): void {
    heardAt = Date.now();
    failures = 0;
    setConnection({ unavailable: false });
    const events: Event[] = [];
    for (const { id, event } of blocks) {
      if (position === undefined) on.onStart(id);
      else if (id < position) on.onLost();
      else unseen += id - position;
      position = id;
      if (event) {
        events.push(event);
        unseen--;
      } else if (unseen > 0) {
        on.onHidden();
        unseen = 0;
      }
    }
    if (position !== undefined && blocks.length > 0) on.onProgress(position, events);
  }

  while (!signal.aborted) {
    await untilVisible(signal);
    if (Date.now() - heardAt > MAX_ABSENCE_MS) position = undefined;
    if (position === undefined) unseen = 0;
    const connection = new AbortController();
    const endIfHidden = () => isHidden() && connection.abort();
    document.addEventListener('visibilitychange', endIfHidden, { signal: connection.signal });
    // A connection from before the browser went offline is probably dead, and nothing reports it.
    addEventListener('online', () => connection.abort(), { signal: connection.signal });
    try {
      for await (const blocks of connect(position, AbortSignal.any([signal, connection.signal])))
        take(blocks);
    } catch (error) {
      if (signal.aborted) return;
      if (connection.signal.aborted) continue;
      if (error instanceof Rejected && error.status === 401) {
        // Nobody is logged in yet, so the login page appears.
        if (!ownerOfPage()) return;
        await untilLoggedIn(false);
        continue;
      }
      if (error instanceof Rejected && error.status === 400) {
        // The position belongs to a different log.
        position = undefined;
        on.onLost();
      } else if (error instanceof Rejected && ![502, 504].includes(error.status)) {
        on.onMissing();
        await wait(POLL_SECONDS, signal).catch(() => {});
        continue;
      } else if (++failures > 1 && navigator.onLine) {
        // The banner appears with the second failure, so that a single one stays invisible.
        setConnection({ unavailable: true });
      }
    } finally {
      connection.abort();
    }
    // Spread out, so that tabs do not all return at the same time after a server restart.
    await wait(1 + Math.random() * 2, signal).catch(() => {});
  }
}

const isHidden = (): boolean => document.visibilityState === 'hidden';

async function untilVisible(signal: AbortSignal): Promise<void> {
  while (isHidden() && !signal.aborted)
    await new Promise(resolve => {
      document.addEventListener('visibilitychange', resolve, { once: true, signal });
      signal.addEventListener('abort', resolve, { once: true });
    });
}
