import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Waits until an element has focus and keeps it. A dialog sets the focus from two timers, and the second would move focus back after
 * a test has moved it.
 */
export async function waitForFocus(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate(node => node === document.activeElement)).toBe(true);
  await element.evaluate(
    () =>
      new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  );
}
