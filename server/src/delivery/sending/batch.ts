import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Handles items in batches: immediately if no batch is running, otherwise together after the running batch. Reports an error in a
 * batch and continues with the next one.
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
    // Waits for one turn of the event loop, so that items that arrive together form one batch.
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
