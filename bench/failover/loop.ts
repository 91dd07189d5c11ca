import { setTimeout as sleep } from 'node:timers/promises';

export type Loop = { pause: () => Promise<void>; resume: () => void; stop: () => Promise<void> };

/** Repeats work until stopped, with a pause of random length after each time. `pause` waits for the work under way. */
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
