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

/** The window of a worker on the server that all tests share. */
let common: Promise<{ context: BrowserContext; first: Page }> | undefined;

async function openCommon(url: string) {
  const context = await newContext(url);
  const first = await context.newPage();
  // A tab that stays open keeps the process of the window.
  await first.goto('/health');
  return { context, first };
}

/**
 * A new tab. On the shared server, the tests of a worker use one window after the other: its cache has the compiled
 * scripts, without which a test takes 1.5 s more of CPU time.
 */
export async function openTab(url: string): Promise<{ page: Page; close: () => Promise<void> }> {
  if (url !== inject('consoleServer').url) {
    const context = await newContext(url);
    return { page: await context.newPage(), close: () => context.close() };
  }
  common ??= openCommon(url);
  const { context, first } = await common;
  const close = async () => {
    await clear(context, first).catch(async error => {
      // The browser ended the process: the next test opens another window.
      common = undefined;
      await context.close();
      throw error;
    });
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
