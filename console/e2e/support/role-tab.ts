import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { apiOf, createPerson, type NewPerson } from './api.ts';
import { openTab, WIDE } from './contexts.ts';
import { logIn } from './log-in.ts';
import { leavePage, type Requests, watchRequests } from './open-page.ts';

const LEAVES_WITHIN_MS = 10_000;

export type RootRole = NonNullable<NewPerson['rootRole']>;
type Tab = { page: Page; requests: Requests; close: () => Promise<void> };

/** A worker's tabs on the shared server, in which its tests open the console one after the other: a user and a window for each role. */
const tabs = new Map<RootRole, Tab>();

export async function openRoleTab(role: RootRole): Promise<Page> {
  const tab = tabs.get(role) ?? (await logInTo(role));
  tabs.set(role, tab);
  return tab.page;
}

async function logInTo(rootRole: RootRole): Promise<Tab> {
  const server = inject('consoleServer');
  const { page, close } = await openTab(server.url);
  await logIn(page, await createPerson(apiOf(server), { rootRole }));
  return { page, requests: watchRequests(page.context()), close };
}

/** Prepares the tab for the next test, which gets a new one if the test failed or its page cannot be left. */
export async function leaveRoleTab(role: RootRole, hasPassed: boolean): Promise<void> {
  const tab = tabs.get(role);
  if (!tab || (hasPassed && (await isLeft(tab)))) return;
  tabs.delete(role);
  tab.requests.stop();
  await tab.close();
}

/** Leaves what a test opened: its page, its messages and the data in memory. False if something stays, such as a dialog. */
async function isLeft({ page, requests }: Tab): Promise<boolean> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'wait' });
  // What a change does at its end belongs to this test: a message, or closing a panel.
  if (!(await requests.ended(LEAVES_WITHIN_MS))) return false;
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
