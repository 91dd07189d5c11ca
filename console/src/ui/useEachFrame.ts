import { useEffect, useRef } from 'react';

/**
 * Calls `run` before each frame while active. Use it to follow an element that can move without a scroll or resize event, for example when
 * content above it loads.
 */
export function useEachFrame(isActive: boolean, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!isActive) return;
    let frame = requestAnimationFrame(function next() {
      latest.current();
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isActive]);
}
