import type { Page } from 'playwright-core';

/**
 * Finds what somebody without a mouse cannot use: controls that look the same with and without focus, and elements that react to
 * clicks but contain nothing that can receive focus.
 */
export const findKeyboardProblems = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const FOCUSABLE =
      'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';
    const problems: string[] = [];
    const describeElement = (element: Element): string =>
      `${element.tagName} ${element.getAttribute('aria-label') ?? (element.textContent.slice(0, 40) || element.className)}`;
    /** Includes the next sibling, which draws an invisible checkbox, and the ancestors, which can draw the border of a field. */
    const elementsAround = (element: Element, levels = 4): Element[] => [
      element,
      ...(element.nextElementSibling ? [element.nextElementSibling] : []),
      ...(element.parentElement && levels > 0 ? elementsAround(element.parentElement, levels - 1) : []),
    ];
    const focusStyles = (element: Element): string =>
      elementsAround(element)
        .map(nearbyElement => {
          const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } =
            getComputedStyle(nearbyElement);
          return [outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor].join();
        })
        .join(' ');
    for (const element of document.querySelectorAll<HTMLElement>(FOCUSABLE)) {
      if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) continue;
      (document.activeElement as HTMLElement | null)?.blur();
      const stylesBefore = focusStyles(element);
      // TypeScript does not declare `focusVisible` yet, but Chromium supports it.
      element.focus({ preventScroll: true, focusVisible: true } as FocusOptions);
      if (document.activeElement !== element)
        problems.push(`${describeElement(element)}: cannot receive the focus`);
      else if (focusStyles(element) === stylesBefore)
        problems.push(`${describeElement(element)}: the focus is not visible`);
    }
    (document.activeElement as HTMLElement | null)?.blur();
    for (const element of document.querySelectorAll('body *')) {
      const props = Object.entries(element).find(([key]) => key.startsWith('__reactProps$'))?.[1];
      const isReachable =
        element.matches('label') ||
        element.closest(`${FOCUSABLE}, button, [aria-activedescendant], [role=row], [role=option]`) ||
        element.querySelector(`${FOCUSABLE}, button, [tabindex]`);
      if (props?.onClick && !isReachable && element.checkVisibility())
        problems.push(`${describeElement(element)}: can be reached only by a click`);
    }
    return problems;
  });
