import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The scroll offset of each region, by its path in the page, for each position in the history. */
const kept = new Map<number, Map<string, number>>();
const MAX_ENTRIES = 50;
/** A page that has not loaded its content by then stays at the top. */
const RESTORE_MS = 10_000;

/** Back and Forward return to where the reader was. A new page starts at the top. */
export function useKeptScroll(): void {
  const { history } = useRouter();
  const index = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.__TSR_index });
  const isRestoring = useRef(false);

  useEffect(
    () =>
      history.subscribe(({ location, action }) => {
        if (action.type !== 'PUSH') return;
        // A new page replaces those that Forward would have opened.
        const from = location.state.__TSR_index;
        for (const position of kept.keys()) if (position >= from) kept.delete(position);
      }),
    [history],
  );
  useEffect(() => {
    if (index === undefined) return;
    const keep = (event: Event) => {
      const { target } = event;
      if (isRestoring.current || !(target instanceof Element)) return;
      const path = pathOf(target);
      if (path === undefined) return;
      const regions = kept.get(index) ?? new Map<string, number>();
      kept.set(index, regions.set(path, target.scrollTop));
      const [oldest] = kept.keys();
      if (kept.size > MAX_ENTRIES && oldest !== undefined) kept.delete(oldest);
    };
    // Scrolling a region does not bubble.
    addEventListener('scroll', keep, { capture: true, passive: true });
    return () => removeEventListener('scroll', keep, { capture: true });
  }, [index]);
  useEffect(() => {
    const regions = new Map(index === undefined ? [] : kept.get(index));
    if (regions.size === 0) return;
    isRestoring.current = true;
    const end = performance.now() + RESTORE_MS;
    let frame = 0;
    const stop = () => {
      isRestoring.current = false;
      cancelAnimationFrame(frame);
    };
    const restore = () => {
      for (const [path, top] of regions) if (scrollTo(path, top)) regions.delete(path);
      if (regions.size === 0 || performance.now() > end) stop();
      else frame = requestAnimationFrame(restore);
    };
    restore();
    // The user has scrolled.
    const inputs = ['wheel', 'keydown', 'pointerdown', 'touchstart'] as const;
    for (const type of inputs) addEventListener(type, stop, { passive: true });
    return () => {
      stop();
      for (const type of inputs) removeEventListener(type, stop);
    };
  }, [index]);
}

/** Returns whether the region has the offset. A list is long enough only when it has loaded. */
function scrollTo(path: string, top: number): boolean {
  const region = document.querySelector(path);
  if (!region || region.scrollHeight - region.clientHeight < top) return false;
  region.scrollTop = top;
  return Math.abs(region.scrollTop - top) <= 1;
}

/**
 * A selector for the region: its label, or the position of each of its ancestors, which can change when a part of the page loads
 * later. Undefined outside the page.
 */
function pathOf(region: Element): string | undefined {
  const label = region.getAttribute('aria-label');
  if (label !== null && region.closest('#main')) return `#main [aria-label="${CSS.escape(label)}"]`;
  const steps: string[] = [];
  let element: Element | null = region;
  while (element && element.id !== 'main') {
    const siblings: Element[] = [...(element.parentElement?.children ?? [])];
    steps.unshift(`:nth-child(${siblings.indexOf(element) + 1})`);
    element = element.parentElement;
  }
  return element ? ['#main', ...steps].join(' > ') : undefined;
}
