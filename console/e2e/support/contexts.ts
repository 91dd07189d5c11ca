import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { launch } from './browser.ts';

/** The tabs of a window share a process, which has already compiled the scripts. */
const ONE_PROCESS = '--renderer-process-limit=1';

export const WIDE = { width: 1440, height: 900 };

/** Started by a worker's first test, and stopped with the worker. */
let launched: Promise<Browser> | undefined;

/** A window with its own cookies and its own cache. */
export async function newContext(
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  launched ??= launch([ONE_PROCESS]);
  const context = await (await launched).newContext({
    baseURL,
    viewport: WIDE,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Colors are compared while no transition runs.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(20_000);
  return context;
}

type Window = { context: BrowserContext; first: Page };

/** A worker's windows on the shared server that no test is using. */
const free: Window[] = [];

async function openWindow(url: string): Promise<Window> {
  const context = await newContext(url);
  const first = await context.newPage();
  // An open tab keeps the window's process alive.
  await first.goto('/health');
  return { context, first };
}

/**
 * A tab in a window with its own cookies. On the shared server, the tests of a worker use the same windows one after the other: their
 * cache has the compiled scripts, without which a window takes 1.5 s more of CPU time.
 */
export async function openTab(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; close: () => Promise<void> }> {
  if (url !== inject('consoleServer').url || Object.keys(options).length > 0) {
    const context = await newContext(url, options);
    return { page: await context.newPage(), close: () => context.close() };
  }
  const window = free.pop() ?? (await openWindow(url));
  const { context, first } = window;
  const close = async () => {
    try {
      await clear(context, first);
      free.push(window);
    } catch (error) {
      // The browser ended the process, so the next test opens a new window.
      await context.close();
      throw error;
    }
  };
  return { page: await context.newPage(), close };
}

/** Removes everything that a test left behind, except the cache. */
async function clear(context: BrowserContext, first: Page): Promise<void> {
  for (const page of context.pages()) if (page !== first) await page.close();
  await context.setOffline(false);
  await context.clearCookies();
  await first.evaluate(() => localStorage.clear());
}
