import { useEffect } from 'react';

/** Dialogs and pages that move the focus themselves do so earlier. */
const WAIT_MS = 100;

const canHaveFocus = (element: Element | undefined): boolean =>
  element === undefined || (element.isConnected && !element.matches(':disabled'));

/**
 * Keeps a keyboard user's position. A focused control can disappear or become disabled: a saved form, a deleted row, an archived
 * flag. The browser would then start again at the top of the page. Instead, the heading of the part that contained the control
 * gets the focus.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The control that has the focus, and what contains it. */
    let path: Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = new AbortController();
    document.addEventListener(
      'focusin',
      event => {
        path = event.composedPath().filter(one => one instanceof Element);
      },
      end,
    );
    // A click next to the controls removes the focus intentionally.
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        if (target instanceof Node && !path[0]?.contains(target)) path = [];
      },
      { capture: true, signal: end.signal },
    );
    const observer = new MutationObserver(() => {
      if (timer !== undefined || canHaveFocus(path[0])) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (document.activeElement === document.body && !canHaveFocus(path[0])) focusNear(path);
      }, WAIT_MS);
    });
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      end.abort();
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}

/** Moves the focus to the heading of the innermost part of the page that is still there, or to the page. */
function focusNear(path: readonly Element[]): void {
  const part = path.find(one => one.isConnected && one.matches('section, main'));
  const target = part?.querySelector('h1, h2, h3') ?? part ?? document.getElementById('main');
  if (!(target instanceof HTMLElement)) return;
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
