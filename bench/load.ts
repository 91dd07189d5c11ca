import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from './requests.ts';

export type Loop = { pause: () => Promise<void>; resume: () => void; stop: () => Promise<void> };

/** Repeats work until it is stopped, with a random pause after each run. `pause` waits for running work. */
export function startLoop(pauseMs: number, work: (n: number) => Promise<void>, random = Math.random): Loop {
  let isStopped = false;
  let isPaused = false;
  let isBusy = false;
  const loopEnd = (async () => {
    for (let n = 0; !isStopped; ) {
      if (!isPaused) {
        isBusy = true;
        await work(n++);
        isBusy = false;
      }
      await sleep(pauseMs * (0.5 + random()));
    }
  })();
  return {
    pause: async () => {
      isPaused = true;
      while (isBusy) await sleep(10);
    },
    resume: () => {
      isPaused = false;
    },
    stop: async () => {
      isStopped = true;
      await loopEnd;
    },
  };
}

export type Kind = {
  name: string;
  /** The number of callers of this kind. */
  callers: number;
  /** How long a caller pauses between two requests. */
  pauseMs: number;
  /** Sends the nth request of a caller. */
  send: (n: number, caller: number) => Promise<Response>;
  /** The statuses of requests that succeeded. */
  expected: number[];
};

export type Sample = { kind: Kind; sentAt: number; ms: number; isExpected: boolean; response: Response };

/** Starts callers of every kind, each of which sends one request at a time. The returned function stops them. */
export function startCallers(
  kinds: Kind[],
  onSample: (sample: Sample) => void,
  random?: () => number,
): () => Promise<void> {
  const send = async (kind: Kind, n: number, caller: number) => {
    const sentAt = performance.now();
    const response = await kind.send(n, caller);
    const isExpected = kind.expected.includes(response.status);
    onSample({ kind, sentAt, ms: performance.now() - sentAt, isExpected, response });
  };
  const loops = kinds.flatMap(kind =>
    Array.from({ length: kind.callers }, (_, caller) =>
      startLoop(kind.pauseMs, n => send(kind, n, caller), random),
    ),
  );
  return async () => void (await Promise.all(loops.map(loop => loop.stop())));
}

/** Returns the status of a response, or the reason why there is none. */
export const describeOutcome = ({ status, error }: Response): string =>
  error ? String((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message) : String(status);
