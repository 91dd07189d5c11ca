import { sendRead } from '../api/client.ts';
import { RequestError } from '../api/errors.ts';
import { wait } from '../api/wait.ts';
import { type Search, stringifySearch } from '../ui/search.ts';
import { type Block, blockOf } from './blocks.ts';
import type { Event } from './queries.ts';

const RETRY_SECONDS = 2;
/** The server sends something every 15 s. After this silence the connection is dead, for example because the computer slept. */
const MAX_SILENCE_MS = 45_000;

/** The days of a search are no filter of the stream. */
const streamPath = ({ from: _, to: __, ...filters }: Search, after: number | undefined): string =>
  `/api/admin/events/stream${stringifySearch({ ...filters, parts: 'true', after })}`;

/** The blocks of a stream, as they arrive. Ends with the connection. */
async function* connect(
  filters: Search,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Block[]> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  try {
    const response = await sendRead(
      new Request(streamPath(filters, after), { signal: AbortSignal.any([signal, silence.signal]) }),
    );
    if (!response.ok) throw new RequestError(response.status, await response.json().catch(() => ({})));
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
  } finally {
    clearTimeout(timer);
    // Also ends the request of a reader that has what it wanted.
    silence.abort();
  }
}

/** The id up to which all events are committed: a search that begins now finds all of them. */
export async function readPosition(filters: Search, signal: AbortSignal): Promise<number | undefined> {
  for await (const [first] of connect(filters, undefined, signal)) if (first) return first.id;
  return undefined;
}

/**
 * Passes on every event after the position, each one once, in the order of the ids: the server sends an event when all changes that
 * began before it have ended. It connects while the tab is visible, because browsers open few connections to a server, and
 * resumes where it ended. `onLost`: what the page shows is not a state of the log any more.
 */
export async function tailEvents(
  filters: Search,
  after: number | undefined,
  signal: AbortSignal,
  { onEvents, onLost }: { onEvents(events: Event[]): void; onLost(): void },
): Promise<void> {
  let position = after;
  while (!signal.aborted) {
    await untilVisible(signal);
    const connection = new AbortController();
    const endIfHidden = () => isHidden() && connection.abort();
    document.addEventListener('visibilitychange', endIfHidden, { signal: connection.signal });
    try {
      for await (const blocks of connect(filters, position, AbortSignal.any([signal, connection.signal]))) {
        // Without a position, the page was read before the stream began.
        if (position === undefined) return onLost();
        for (const { id } of blocks) {
          // The database lost events: it was restored, or failed over.
          if (id < position) return onLost();
          position = id;
        }
        const events = blocks.flatMap(({ event }) => event ?? []);
        if (events.length > 0) onEvents(events);
      }
    } catch (error) {
      // The position is of another log.
      if (error instanceof RequestError && error.status === 400) return onLost();
    } finally {
      connection.abort();
    }
    await wait(RETRY_SECONDS, signal).catch(() => {});
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
