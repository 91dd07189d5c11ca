/**
 * Hands items on in batches: at once when nothing is being handled, else all that came meanwhile. A batch whose handling
 * throws is reported and does not stop the next one.
 */
export function gather<T>(
  handle: (items: T[]) => Promise<void>,
  report: (error: unknown) => void,
): {
  add: (item: T) => void;
  idle: () => Promise<void>;
} {
  let waiting: T[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    // One turn of the event loop: what ends together is handled together.
    await new Promise(resolve => setImmediate(resolve));
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
