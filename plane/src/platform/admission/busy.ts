const SAMPLE_MS = 100;
/** The fraction of time in which the event loop was not idle. */
const BUSY = 0.7;

/** Whether the event loop has been almost continuously busy. Measured on demand, at most every 100 ms. */
export function makeBusyCheck(): () => boolean {
  let sample = performance.eventLoopUtilization();
  let sampledAt = performance.now();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - sampledAt < SAMPLE_MS) return isBusy;
    const next = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(next, sample).utilization > BUSY;
    sample = next;
    sampledAt = now;
    return isBusy;
  };
}
