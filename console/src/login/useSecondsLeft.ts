import { useEffect, useState } from 'react';

/** Counts down the seconds until a throttled login is accepted again. A new `cause` restarts the countdown. */
export function useSecondsLeft(seconds: number, cause?: unknown): number {
  const [secondsLeft, setSecondsLeft] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new error with the same number restarts the countdown
  useEffect(() => {
    const deadline = Date.now() + seconds * 1000;
    const update = () => setSecondsLeft(Math.max(0, Math.ceil((deadline - Date.now()) / 1000)));
    update();
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [seconds, cause]);
  return secondsLeft;
}
