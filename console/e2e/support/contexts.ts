import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { launch } from './browser.ts';

/** All tabs share one process, so that the console's scripts are compiled only once. */
const ONE_PROCESS = '--renderer-process-limit=1';

export const WIDE = { width: 1440, height: 900 };

/** Slows the browser's scripts down by this factor, which reveals tests that depend on speed. */
const SLOWDOWN = Number(process.env.BROWSER_SLOWDOWN ?? 1);

/** The worker's browser, which the first test starts and which ends with the worker. */
let browserPromise: Promise<Browser> | undefined;

/** Opens a window with its own cookies and cache. */
export async function newContext(
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  browserPromise ??= launch([ONE_PROCESS]);
  const context = await (await browserPromise).newContext({
    baseURL,
    viewport: WIDE,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Transitions would change the colors that axe compares.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(60_000);
  if (SLOWDOWN > 1) context.on('page', slowDown);
  return context;
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

type Window = { context: BrowserContext; keepAlivePage: Page };

/** The worker's windows on the shared server that no test is currently using. */
const idleWindows: Window[] = [];

async function openWindow(url: string): Promise<Window> {
  const context = await newContext(url);
  const keepAlivePage = await context.newPage();
  // An open tab keeps the window's process alive.
  await keepAlivePage.goto('/health');
  return { context, keepAlivePage };
}

/**
 * Opens a tab in a window with its own cookies. On the shared server, a worker reuses its windows for later tests, because cached,
 * compiled scripts save 1.5 s of CPU time.
 */
export async function openTab(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; close: () => Promise<void> }> {
  if (url !== inject('consoleServer').url || Object.keys(options).length > 0) {
    const context = await newContext(url, options);
    return { page: await context.newPage(), close: () => context.close() };
  }
  const window = idleWindows.pop() ?? (await openWindow(url));
  const { context, keepAlivePage } = window;
  const close = async () => {
    try {
      await clear(context, keepAlivePage);
      idleWindows.push(window);
    } catch (error) {
      // The window's process has ended, so the next test opens a new window.
      await context.close();
      throw error;
    }
  };
  return { page: await context.newPage(), close };
}

/** Removes everything that a test has left behind, except the cache. */
async function clear(context: BrowserContext, keepAlivePage: Page): Promise<void> {
  for (const page of context.pages()) if (page !== keepAlivePage) await page.close();
  await context.setOffline(false);
  await context.clearCookies();
  await keepAlivePage.evaluate(() => localStorage.clear());
}
