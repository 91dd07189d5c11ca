import { setTimeout as sleep } from 'node:timers/promises';
import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { CommandError, interruption, unreachableError } from '../../errors.ts';
import { buildPath, requireSuccess } from '../../requests.ts';

/** Longer than the 15 s between the server's heartbeats. */
const MAX_SILENCE_MS = 60_000;
const RECONNECT_DELAY_MS = 1000;
const MAX_OUTAGE_MS = 10 * 60_000;

type Block = { id?: string; data?: string };

/** Parses the blocks of an event stream, but only the parts of the format that the server uses. */
async function* parseBlocks(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Block> {
  let partialLine = '';
  let block: Block = {};
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (partialLine + text).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('id: ')) block.id = line.slice(4);
      else if (line.startsWith('data: ')) block.data = line.slice(6);
      if (line !== '' && line !== '\r' && !line.startsWith(':')) continue;
      yield block;
      block = {};
    }
  }
}

/** Yields new events in the order of their ids. A reconnect resumes after the last event, so that no event is missed or printed twice. */
export async function* tailEvents(
  context: Context,
  query: Record<string, unknown>,
  afterId: string | undefined,
): AsyncGenerator<schemas['Event']> {
  const { server } = context.connection();
  const path = buildPath('/api/admin/events/stream', { query });
  let lastId = afterId;
  let lostAt: number | undefined;
  for (;;) {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
    try {
      const headers: Record<string, string> = {
        Accept: 'text/event-stream',
        ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      };
      const response = await context.send('GET', path, {
        headers,
        once: lostAt !== undefined,
        signal: AbortSignal.any([context.signal, silence.signal]),
      });
      const { body } = await requireSuccess(response, server);
      if (lostAt !== undefined) context.note('The connection is back.');
      lostAt = undefined;
      for await (const block of parseBlocks(body ?? new ReadableStream())) {
        timer.refresh();
        if (block.data !== undefined) yield JSON.parse(block.data);
        // Set only now that the event has been printed, so that a reconnect never skips an event that was not printed.
        if (block.id !== undefined) lastId = block.id;
      }
    } catch (error) {
      if (context.signal.aborted) throw interruption();
      if (error instanceof CommandError && !error.problem.retryable) throw error;
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') throw error;
    } finally {
      clearTimeout(timer);
    }
    if (lostAt === undefined) context.note('The connection was lost. Reconnecting…');
    lostAt ??= Date.now();
    if (Date.now() - lostAt > MAX_OUTAGE_MS)
      throw unreachableError(
        `${server} was unreachable for 10 minutes.`,
        lastId === undefined ? undefined : `Continue with --after ${lastId}.`,
      );
    await sleep(RECONNECT_DELAY_MS, undefined, { signal: context.signal }).catch(() => {
      throw interruption();
    });
  }
}
