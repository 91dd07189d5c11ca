const SAMPLE_MS = 100;
/** The fraction of time during which the event loop was not idle. */
const BUSY_UTILIZATION = 0.7;

/** Returns a function that checks whether the event loop has been almost continuously busy. It measures on demand, at most every 100 ms. */
export function makeBusyCheck(): () => boolean {
  let sample = performance.eventLoopUtilization();
  let sampledAt = performance.now();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - sampledAt < SAMPLE_MS) return isBusy;
    const next = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(next, sample).utilization > BUSY_UTILIZATION;
    sample = next;
    sampledAt = now;
    return isBusy;
  };
}
