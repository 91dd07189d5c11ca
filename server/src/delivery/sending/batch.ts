import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Handles items in batches: immediately while idle, otherwise together after the running batch. An error in a batch is reported
 * and does not stop the next batch.
 */
export function makeBatcher<T>(
  handle: (items: T[]) => Promise<void>,
  report: (error: unknown) => void,
): {
  add: (item: T) => void;
  waitUntilIdle: () => Promise<void>;
} {
  let waitingItems: T[] = [];
  let currentRun: Promise<void> | undefined;

  const run = async () => {
    // Waits for one turn of the event loop, to collect items that arrive together.
    await nextTurn();
    while (waitingItems.length > 0) {
      const items = waitingItems;
      waitingItems = [];
      await handle(items).catch(report);
    }
    currentRun = undefined;
  };
  return {
    add: item => {
      waitingItems.push(item);
      currentRun ??= run();
    },
    waitUntilIdle: async () => await currentRun,
  };
}
