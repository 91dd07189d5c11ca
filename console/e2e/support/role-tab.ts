import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { createApi, createPerson, type NewPerson } from './api.ts';
import { openTab, WIDE } from './contexts.ts';
import { logIn } from './log-in.ts';
import { leavePage, type Requests, watchRequests } from './open-page.ts';

const QUIET_TIMEOUT_MS = 10_000;

export type RootRole = NonNullable<NewPerson['rootRole']>;
type Tab = { page: Page; requests: Requests; close: () => Promise<void> };

/** The worker's tabs on the shared server. Each role has a tab with its own user and window, which tests use one after another. */
const tabs = new Map<RootRole, Tab>();

export async function openRoleTab(role: RootRole): Promise<Page> {
  const tab = tabs.get(role) ?? (await logInTo(role));
  tabs.set(role, tab);
  return tab.page;
}

async function logInTo(rootRole: RootRole): Promise<Tab> {
  const server = inject('consoleServer');
  const { page, close } = await openTab(server.url);
  await logIn(page, await createPerson(createApi(server), { rootRole }));
  return { page, requests: watchRequests(page.context()), close };
}

/** Prepares the tab for the next test. If this test failed, or its page cannot be left, the next test gets a new tab. */
export async function leaveRoleTab(role: RootRole, hasPassed: boolean): Promise<void> {
  const tab = tabs.get(role);
  if (!tab || (hasPassed && (await tryToLeave(tab)))) return;
  tabs.delete(role);
  tab.requests.stop();
  await tab.close();
}

/** Closes what a test opened, and discards the data in memory. Returns false if something stays open, such as a dialog. */
async function tryToLeave({ page, requests }: Tab): Promise<boolean> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'wait' });
  // A change that is still running could show a message or close a panel during the next test.
  if (!(await requests.waitUntilQuiet(QUIET_TIMEOUT_MS))) return false;
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
