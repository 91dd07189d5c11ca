import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** For each history entry, the scroll offset of each region by its path in the page. */
const offsetsByEntry = new Map<number, Map<string, number>>();
const MAX_ENTRIES = 50;
/** A page whose content has not loaded within this time stays at the top. */
const RESTORE_MS = 10_000;

/** Restores the scroll position when the user goes back or forward. A new page starts at the top. */
export function useScrollRestoration(): void {
  const { history } = useRouter();
  const index = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.state.__TSR_index });
  const isRestoring = useRef(false);

  useEffect(
    () =>
      history.subscribe(({ location, action }) => {
        if (action.type !== 'PUSH') return;
        // A new page discards the history entries that Forward would have opened, so their offsets are obsolete.
        const newEntry = location.state.__TSR_index;
        for (const entry of offsetsByEntry.keys()) if (entry >= newEntry) offsetsByEntry.delete(entry);
      }),
    [history],
  );
  useEffect(() => {
    if (index === undefined) return;
    const rememberOffset = (event: Event) => {
      const { target } = event;
      if (isRestoring.current || !(target instanceof Element)) return;
      const path = buildSelector(target);
      if (path === undefined) return;
      const regions = offsetsByEntry.get(index) ?? new Map<string, number>();
      offsetsByEntry.set(index, regions.set(path, target.scrollTop));
      const [oldestEntry] = offsetsByEntry.keys();
      if (offsetsByEntry.size > MAX_ENTRIES && oldestEntry !== undefined) offsetsByEntry.delete(oldestEntry);
    };
    // Scroll events do not bubble, so they are captured.
    addEventListener('scroll', rememberOffset, { capture: true, passive: true });
    return () => removeEventListener('scroll', rememberOffset, { capture: true });
  }, [index]);
  useEffect(() => {
    const regions = new Map(index === undefined ? [] : offsetsByEntry.get(index));
    if (regions.size === 0) return;
    isRestoring.current = true;
    const deadline = performance.now() + RESTORE_MS;
    let frame = 0;
    const stop = () => {
      isRestoring.current = false;
      cancelAnimationFrame(frame);
    };
    const restore = () => {
      for (const [path, top] of regions) if (scrollTo(path, top)) regions.delete(path);
      if (regions.size === 0 || performance.now() > deadline) stop();
      else frame = requestAnimationFrame(restore);
    };
    restore();
    // Stops as soon as the user does something, because the user's own scrolling must not be undone.
    const inputEvents = ['wheel', 'keydown', 'pointerdown', 'touchstart'] as const;
    for (const type of inputEvents) addEventListener(type, stop, { passive: true });
    return () => {
      stop();
      for (const type of inputEvents) removeEventListener(type, stop);
    };
  }, [index]);
}

/** Scrolls a region, and returns whether the region reached the offset. A list is long enough only after it has loaded. */
function scrollTo(path: string, top: number): boolean {
  const region = document.querySelector(path);
  if (!region || region.scrollHeight - region.clientHeight < top) return false;
  region.scrollTop = top;
  return Math.abs(region.scrollTop - top) <= 1;
}

/**
 * Returns a selector that finds the region by its label. Without a label, the selector uses the position of each ancestor, although
 * positions can change when a part of the page loads later. Returns undefined for an element outside the page.
 */
function buildSelector(region: Element): string | undefined {
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
