import { useEffect } from 'react';

/** Long enough for dialogs and pages that move the focus themselves. */
const WAIT_MS = 100;

const canHaveFocus = (element: Element | undefined): boolean =>
  element === undefined || (element.isConnected && !element.matches(':disabled'));

/**
 * Keeps a keyboard user's position. When the focused control disappears or becomes disabled, for example because a row is deleted, the
 * browser would start over at the top of the page. Instead, the heading of the region that contained the control gets the focus.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    /** The control that has the focus, and its ancestors. */
    let focusPath: Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abortController = new AbortController();
    document.addEventListener(
      'focusin',
      event => {
        focusPath = event.composedPath().filter(target => target instanceof Element);
      },
      abortController,
    );
    // A user who clicks outside of the controls removes the focus intentionally.
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        if (target instanceof Node && !focusPath[0]?.contains(target)) focusPath = [];
      },
      { capture: true, signal: abortController.signal },
    );
    const observer = new MutationObserver(() => {
      if (timer !== undefined || canHaveFocus(focusPath[0])) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (document.activeElement === document.body && !canHaveFocus(focusPath[0]))
          focusNearestHeading(focusPath);
      }, WAIT_MS);
    });
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      abortController.abort();
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}

/** Moves the focus to the heading of the innermost region that still exists, or to the page. */
function focusNearestHeading(path: readonly Element[]): void {
  const region = path.find(element => element.isConnected && element.matches('section, main'));
  // In the administration, navigation headings come before the page's heading.
  const heading = region?.querySelector('h1') ?? region?.querySelector('h2, h3');
  const target = heading ?? region ?? document.getElementById('main');
  if (!(target instanceof HTMLElement)) return;
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
