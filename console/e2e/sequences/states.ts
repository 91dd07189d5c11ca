import type { Page } from 'playwright-core';

declare global {
  interface Window {
    shownStates?: { at: number; isOn: boolean }[];
  }
}

/** How long a wrong state may be shown. */
const MAX_WRONG_MS = 1000;

type Allowed = { from: number; states: readonly boolean[] };

/**
 * Records in the page which state the toggle of development shows, and when. `expect` names the states that are correct from now
 * on. A state that was correct until less than a second ago still counts.
 */
export async function watchStates(page: Page) {
  const allowed: Allowed[] = [];
  const wrong: string[] = [];
  let isPaused = false;

  const record = () =>
    page.evaluate(() => {
      window.shownStates = [];
      setInterval(() => {
        const toggle = document.querySelector<HTMLInputElement>('[aria-label="Enabled in development"]');
        if (toggle) window.shownStates?.push({ at: Date.now(), isOn: toggle.checked });
      }, 50);
    });
  const collect = async () => {
    const shown = (await page.evaluate(() => window.shownStates).catch(() => undefined)) ?? [];
    for (const { at, isOn } of shown) {
      const now = allowed.findLast(({ from }) => from <= at);
      const recent = allowed.filter(
        ({ from }, n) =>
          from <= at && (allowed[n + 1]?.from ?? Number.POSITIVE_INFINITY) >= at - MAX_WRONG_MS,
      );
      if (now && !recent.some(({ states }) => states.includes(isOn))) {
        wrong.push(`shows ${isOn ? 'enabled' : 'disabled'} for more than ${MAX_WRONG_MS} ms after a change`);
        return;
      }
    }
  };
  await record();
  return {
    expect: (states: readonly boolean[]) => {
      if (!isPaused) allowed.push({ from: Date.now(), states });
    },
    pause: () => {
      isPaused = true;
    },
    resume: async () => {
      isPaused = false;
      await record();
    },
    stop: async () => {
      await collect();
      return wrong;
    },
  };
}
