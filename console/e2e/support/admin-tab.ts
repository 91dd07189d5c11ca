import type { Page } from 'playwright-core';
import { type Api, createPerson, type Person } from './api.ts';
import { openTab, WIDE } from './contexts.ts';
import { logIn } from './log-in.ts';
import { leavePage } from './open-page.ts';

/** A tab in which tests open the console one after the other, as the same admin. */
export type AdminTab = {
  admin: Person;
  open: () => Promise<Page>;
  /** Prepares the tab for the next test, which gets a new one if the test failed or its page cannot be left. */
  leave: (hasPassed: boolean) => Promise<void>;
  close: () => Promise<void>;
};

export async function openAdminTab(url: string, api: Api): Promise<AdminTab> {
  const admin = await createPerson(api, { rootRole: 'Admin' });
  let tab: { page: Page; close: () => Promise<void> } | undefined;
  const close = async () => {
    await tab?.close();
    tab = undefined;
  };
  return {
    admin,
    open: async () => {
      if (!tab) {
        tab = await openTab(url);
        await logIn(tab.page, admin);
      }
      return tab.page;
    },
    leave: async hasPassed => {
      if (!(tab && hasPassed && (await isLeft(tab.page)))) await close();
    },
    close,
  };
}

/** Leaves what a test opened: its page, its messages and the data in memory. False if something stays, such as a dialog. */
async function isLeft(page: Page): Promise<boolean> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'wait' });
  await page.mouse.move(0, 0);
  await page.setViewportSize(WIDE);
  try {
    await leavePage(page);
    return await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      const messages = '[aria-label=Notifications] [aria-label=Dismiss]';
      for (const button of document.querySelectorAll<HTMLElement>(messages)) button.click();
      await new Promise(resolve => setTimeout(resolve));
      return document.querySelector(`${messages}, [aria-modal=true]`) === null;
    });
  } catch {
    return false;
  }
}
