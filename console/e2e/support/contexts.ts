import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { launch } from './browser.ts';

/** The tabs of a window share a process, which has compiled the scripts already. */
const ONE_PROCESS = '--renderer-process-limit=1';

/** Started by the first test of a worker, and ended with it. */
let launched: Promise<Browser> | undefined;

/** A window with its own cookies and its own cache. */
export async function newContext(
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  launched ??= launch([ONE_PROCESS]);
  const context = await (await launched).newContext({
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Colours are compared when no transition runs.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(20_000);
  return context;
}

type Window = { context: BrowserContext; first: Page };

/** Windows of a worker on the server that all tests share, which no test uses at the moment. */
const free: Window[] = [];

async function openWindow(url: string): Promise<Window> {
  const context = await newContext(url);
  const first = await context.newPage();
  // A tab that stays open keeps the process of the window.
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
      // The browser ended the process: the next test opens another window.
      await context.close();
      throw error;
    }
  };
  return { page: await context.newPage(), close };
}

/** Removes everything that a test left but the cache. */
async function clear(context: BrowserContext, first: Page): Promise<void> {
  for (const page of context.pages()) if (page !== first) await page.close();
  await context.setOffline(false);
  await context.clearCookies();
  await first.evaluate(() => localStorage.clear());
}
