import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Handles items in batches: immediately while idle, otherwise together after the running batch. An error of a batch is reported and
 * does not stop the next batch.
 */
export function inBatches<T>(
  handle: (items: T[]) => Promise<void>,
  report: (error: unknown) => void,
): {
  add: (item: T) => void;
  idle: () => Promise<void>;
} {
  let waiting: T[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    // Waits for one turn of the event loop, to collect items that arrive together.
    await nextTurn();
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      await handle(items).catch(report);
    }
    running = undefined;
  };
  return {
    add: item => {
      waiting.push(item);
      running ??= run();
    },
    idle: async () => await running,
  };
}
