import { setTimeout as sleep } from 'node:timers/promises';

export type Loop = { pause: () => Promise<void>; resume: () => void; stop: () => Promise<void> };

/** Repeats work until it is stopped, with a random pause after each run. `pause` waits for running work. */
export function startLoop(pauseMs: number, work: () => Promise<void>): Loop {
  let isStopped = false;
  let isPaused = false;
  let isBusy = false;
  const running = (async () => {
    while (!isStopped) {
      if (!isPaused) {
        isBusy = true;
        await work();
        isBusy = false;
      }
      await sleep(pauseMs * (0.5 + Math.random()));
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
      await running;
    },
  };
}
