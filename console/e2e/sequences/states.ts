import type { Page } from 'playwright-core';

declare global {
  interface Window {
    shownStates?: { recordedAt: number; isEnabled: boolean }[];
  }
}

/** How long a wrong state may be shown. */
const MAX_WRONG_MS = 1000;

type AllowedStates = { validFrom: number; states: readonly boolean[] };

/**
 * Records in the page which state the development toggle shows. `expect` sets the states that are correct from now on. A state that
 * was correct within the last second also counts as correct.
 */
export async function watchStates(page: Page) {
  const allowedStates: AllowedStates[] = [];
  const problems: string[] = [];
  let isPaused = false;

  const record = () =>
    page.evaluate(() => {
      window.shownStates = [];
      setInterval(() => {
        const toggle = document.querySelector<HTMLInputElement>('[aria-label="Enabled in development"]');
        if (toggle) window.shownStates?.push({ recordedAt: Date.now(), isEnabled: toggle.checked });
      }, 50);
    });
  const collect = async () => {
    const shownStates = (await page.evaluate(() => window.shownStates).catch(() => undefined)) ?? [];
    for (const { recordedAt, isEnabled } of shownStates) {
      const current = allowedStates.findLast(({ validFrom }) => validFrom <= recordedAt);
      const recentStates = allowedStates.filter(
        ({ validFrom }, n) =>
          validFrom <= recordedAt &&
          (allowedStates[n + 1]?.validFrom ?? Number.POSITIVE_INFINITY) >= recordedAt - MAX_WRONG_MS,
      );
      if (current && !recentStates.some(({ states }) => states.includes(isEnabled))) {
        problems.push(
          `shows ${isEnabled ? 'enabled' : 'disabled'} for more than ${MAX_WRONG_MS} ms after a change`,
        );
        return;
      }
    }
  };
  await record();
  return {
    expect: (states: readonly boolean[]) => {
      if (!isPaused) allowedStates.push({ validFrom: Date.now(), states });
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
      return problems;
    },
  };
}
