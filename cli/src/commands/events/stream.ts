import { setTimeout as sleep } from 'node:timers/promises';
import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { CommandError, interrupted, unreachable } from '../../errors.ts';
import { accepted, pathOf } from '../../requests.ts';

/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 60_000;
const RECONNECT_MS = 1000;
const GIVE_UP_AFTER_MS = 10 * 60_000;

type Block = { id?: string; data?: string };

/** The blocks of an event stream. Parses only the parts of the format that our server uses. */
async function* blocksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Block> {
  let rest = '';
  let block: Block = {};
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('id: ')) block.id = line.slice(4);
      else if (line.startsWith('data: ')) block.data = line.slice(6);
      if (line !== '' && line !== '\r' && !line.startsWith(':')) continue;
      yield block;
      block = {};
    }
  }
}

/** New events in the order of their ids. Reconnects after the last event, so that none is missed and none is printed twice. */
export async function* follow(
  context: Context,
  query: Record<string, unknown>,
  after: string | undefined,
): AsyncGenerator<schemas['Event']> {
  const { server } = context.connection();
  const path = pathOf('/api/admin/events/stream', { query });
  let last = after;
  let lostAt: number | undefined;
  for (;;) {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const headers: Record<string, string> = {
        Accept: 'text/event-stream',
        ...(last !== undefined && { 'Last-Event-ID': last }),
      };
      const sent = await context.send('GET', path, {
        headers,
        once: lostAt !== undefined,
        signal: AbortSignal.any([context.signal, silence.signal]),
      });
      const { body } = await accepted(sent, server);
      if (lostAt !== undefined) context.note('The connection is back.');
      lostAt = undefined;
      for await (const block of blocksOf(body ?? new ReadableStream())) {
        timer.refresh();
        if (block.data !== undefined) yield JSON.parse(block.data);
        // Set only after the event was printed. If printing fails, the event counts as not received.
        if (block.id !== undefined) last = block.id;
      }
    } catch (error) {
      if (context.signal.aborted) throw interrupted();
      if (error instanceof CommandError && !error.problem.retryable) throw error;
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') throw error;
    } finally {
      clearTimeout(timer);
    }
    if (lostAt === undefined) context.note('The connection was lost. Reconnecting…');
    lostAt ??= Date.now();
    if (Date.now() - lostAt > GIVE_UP_AFTER_MS)
      throw unreachable(
        `${server} was unreachable for 10 minutes.`,
        last === undefined ? undefined : `Continue with --after ${last}.`,
      );
    await sleep(RECONNECT_MS, undefined, { signal: context.signal }).catch(() => {
      throw interrupted();
    });
  }
}
