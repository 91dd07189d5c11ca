import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_TOKEN } from '../server.ts';

const TIMEOUT_MS = 30_000;

export type Response = { status: number; text: string; sentAt: number };

/** Sends one request as an admin. Without a response, the status is 0. */
export async function send(
  server: string,
  method: string,
  path: string,
  body?: object,
  authorization = ADMIN_TOKEN,
): Promise<Response> {
  const sentAt = performance.now();
  try {
    const response = await fetch(`${server}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text(), sentAt };
  } catch (error) {
    return { status: 0, text: String(error), sentAt };
  }
}

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
