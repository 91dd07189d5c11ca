import { useEffect, useState } from 'react';

/** Counts down the seconds until a throttled login is accepted again. `since` restarts the countdown. */
export function useSecondsLeft(seconds: number, since?: unknown): number {
  const [left, setLeft] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new error with the same number restarts the countdown
  useEffect(() => {
    const until = Date.now() + seconds * 1000;
    const update = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    update();
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [seconds, since]);
  return left;
}
