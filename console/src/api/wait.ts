/** Resolves when the time is up or the browser is back online. Rejects if the signal aborts. */
export function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const finished = new AbortController();
    const finish = (settle: () => void) => () => {
      clearTimeout(timer);
      finished.abort();
      settle();
    };
    const timer = setTimeout(finish(resolve), seconds * 1000);
    addEventListener('online', finish(resolve), { signal: finished.signal });
    signal.addEventListener(
      'abort',
      finish(() => reject(signal.reason)),
      { signal: finished.signal },
    );
  });
}
