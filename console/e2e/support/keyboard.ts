import type { Page } from 'playwright-core';

/**
 * What somebody without a mouse cannot use: controls that look the same with and without the focus, and elements that react to a
 * click but contain nothing that can have the focus.
 */
export const keyboardProblems = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const FOCUSABLE =
      'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';
    const found: string[] = [];
    const nameOf = (element: Element): string =>
      `${element.tagName} ${element.getAttribute('aria-label') ?? (element.textContent.slice(0, 40) || element.className)}`;
    /** A checkbox can be invisible, and the element next to it shows its state. A field can be inside what looks like one. */
    const partsOf = (element: Element, levels = 4): Element[] => [
      element,
      ...(element.nextElementSibling ? [element.nextElementSibling] : []),
      ...(element.parentElement && levels > 0 ? partsOf(element.parentElement, levels - 1) : []),
    ];
    const lookOf = (element: Element): string =>
      partsOf(element)
        .map(one => {
          const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(one);
          return [outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor].join();
        })
        .join(' ');
    for (const element of document.querySelectorAll<HTMLElement>(FOCUSABLE)) {
      if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) continue;
      (document.activeElement as HTMLElement | null)?.blur();
      const before = lookOf(element);
      // Chromium knows the option, TypeScript does not.
      element.focus({ preventScroll: true, focusVisible: true } as FocusOptions);
      if (document.activeElement !== element) found.push(`${nameOf(element)}: cannot have the focus`);
      else if (lookOf(element) === before) found.push(`${nameOf(element)}: the focus is not visible`);
    }
    (document.activeElement as HTMLElement | null)?.blur();
    for (const element of document.querySelectorAll('body *')) {
      const props = Object.entries(element).find(([key]) => key.startsWith('__reactProps$'))?.[1];
      const isReached =
        element.matches('label') ||
        element.closest(`${FOCUSABLE}, button, [aria-activedescendant], [role=row], [role=option]`) ||
        element.querySelector(`${FOCUSABLE}, button, [tabindex]`);
      if (props?.onClick && !isReached && element.checkVisibility())
        found.push(`${nameOf(element)}: only a click reaches it`);
    }
    return found;
  });
