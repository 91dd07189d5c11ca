import { readPageUser, setConnection, waitForLogin } from '../api/session.ts';
import { wait } from '../api/wait.ts';
import { type Block, type Event, parseBlock } from './blocks.ts';

const STREAM = '/api/admin/events/stream';
/** The server sends something every 15 s. After this silence the connection is dead, for example because the computer slept. */
const MAX_SILENCE_MS = 45_000;
/** After a longer absence, reloading the data costs less than receiving all events since then. */
const MAX_ABSENCE_MS = 120_000;
/** Data is reloaded at this interval if there is no stream, for example because a proxy buffers it. */
const POLL_SECONDS = 30;

export type Handlers = {
  /** The stream has started. Earlier events are not sent, so data that was loaded before the start may be outdated. */
  onStart: (position: number) => void;
  /** Delivers the events up to the position, except those that the user cannot see. */
  onProgress: (position: number, events: Event[]) => void;
  /** There were changes that the user cannot see but that may affect what the user sees, such as changes to roles. */
  onHidden: () => void;
  /** The database was restored or failed over, and lost events that the page may show. */
  onLost: () => void;
  /** There is currently no stream. Called repeatedly until a stream starts. */
  onMissing: () => void;
};

class StreamRejection extends Error {
  readonly status: number;
  /** The number of seconds to wait before a retry, if the server sent it. */
  readonly retryAfter: number | undefined;
  constructor(status: number, retryAfter?: number) {
    super(`The event stream was rejected with status ${status}.`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Yields the blocks of a stream as they arrive, until the connection ends. */
async function* connect(position: number | undefined, signal: AbortSignal): AsyncGenerator<Block[]> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  try {
    const response = await fetch(position === undefined ? STREAM : `${STREAM}?after=${position}`, {
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok)
      throw new StreamRejection(response.status, Number(response.headers.get('Retry-After')) || undefined);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let incompleteBlock = ''; reader; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
      const texts = (incompleteBlock + value).split('\n\n');
      incompleteBlock = texts.pop() ?? '';
      yield texts.flatMap(parseBlock);
    }
  } catch (error) {
    // Silence usually means that a proxy buffers the stream, so it must not count as an outage.
    throw silence.signal.aborted && !signal.aborted ? new StreamRejection(0) : error;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/**
 * Tails the event log until the signal aborts or nobody is logged in. The server sends every event once and in id order, after all
 * earlier changes have ended. Only visible tabs connect, because browsers open at most six connections to a server over HTTP/1.1.
 * A hidden tab closes its stream immediately, because it can resume at the same position with a single request.
 */
export async function streamEvents(signal: AbortSignal, handlers: Handlers): Promise<void> {
  let position: number | undefined;
  let lastReceivedAt = 0;
  let reloadedAt = Number.NEGATIVE_INFINITY;
  let failureCount = 0;
  /** Events that the user cannot see never arrive, but they use up ids. Counts these ids since the last block without an event. */
  let hiddenCount = 0;

  function handleBlocks(blocks: Block[]): void {
    lastReceivedAt = Date.now();
    failureCount = 0;
    setConnection({ unavailable: false });
    const events: Event[] = [];
    for (const { id, event } of blocks) {
      if (position === undefined) handlers.onStart(id);
      else if (id < position) handlers.onLost();
      else hiddenCount += id - position;
      position = id;
      if (event) {
        events.push(event);
        hiddenCount--;
      } else if (hiddenCount > 0) {
        handlers.onHidden();
        hiddenCount = 0;
      }
    }
    if (position !== undefined && blocks.length > 0) handlers.onProgress(position, events);
  }

  while (!signal.aborted) {
    await waitUntilVisible(signal);
    if (Date.now() - lastReceivedAt > MAX_ABSENCE_MS) position = undefined;
    if (position === undefined) hiddenCount = 0;
    const connection = new AbortController();
    const endIfHidden = () => isHidden() && connection.abort();
    document.addEventListener('visibilitychange', endIfHidden, { signal: connection.signal });
    // A connection opened before the browser went offline is probably dead, but causes no error.
    addEventListener('online', () => connection.abort(), { signal: connection.signal });
    try {
      for await (const blocks of connect(position, AbortSignal.any([signal, connection.signal])))
        handleBlocks(blocks);
    } catch (error) {
      if (signal.aborted) return;
      if (connection.signal.aborted) continue;
      if (error instanceof StreamRejection && error.status === 401) {
        // Nobody is logged in yet, so the login page appears.
        if (!readPageUser()) return;
        await waitForLogin(false);
        continue;
      }
      if (error instanceof StreamRejection && error.status === 400) {
        // The position belongs to a different log.
        position = undefined;
        handlers.onLost();
      } else if (error instanceof StreamRejection && ![502, 504].includes(error.status)) {
        // A busy server asks clients to retry soon, but tabs that reloaded their data each time would keep it busy.
        if (Date.now() - reloadedAt >= POLL_SECONDS * 1_000) {
          reloadedAt = Date.now();
          handlers.onMissing();
        }
        await wait(Math.min(error.retryAfter ?? POLL_SECONDS, POLL_SECONDS), signal).catch(() => {});
        continue;
      } else if (++failureCount > 1 && navigator.onLine) {
        // The banner appears with the second failure, so that a single failure stays invisible.
        setConnection({ unavailable: true });
      }
    } finally {
      connection.abort();
    }
    // A random pause keeps the tabs from reconnecting simultaneously after a server restart.
    await wait(1 + Math.random() * 2, signal).catch(() => {});
  }
}

const isHidden = (): boolean => document.visibilityState === 'hidden';

async function waitUntilVisible(signal: AbortSignal): Promise<void> {
  while (isHidden() && !signal.aborted)
    await new Promise(resolve => {
      document.addEventListener('visibilitychange', resolve, { once: true, signal });
      signal.addEventListener('abort', resolve, { once: true });
    });
}
