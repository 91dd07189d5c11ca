import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page, Request, Response } from 'playwright-core';

/** By default, Playwright polls in every animation frame, which forces the browser to paint each frame. */
const POLLING = { polling: 50 };

/** A page that loads no data. */
const EMPTY_PAGE = '/no-such-page';
const LEAVE_TIMEOUT_MS = 10_000;
const QUIET_MS = 100;

const waitUntilIdle = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[aria-busy=true]'), undefined, POLLING);

/** Streams are not waited for, because the event stream stays open until the page closes. */
const isStream = (request: Request): boolean => request.url().includes('/api/admin/events/stream');

/** Loads a page and waits for its data, until no request has run for 100 ms. `networkidle` would wait for 500 ms, and for streams. */
export const openPage = (page: Page, path: string): Promise<Response | null> =>
  waitUntilLoaded(page, () => page.goto(path));

/** The console's router, which it exposes on the window. */
type Router = {
  history: { push(path: string): void };
  state: { status: string; resolvedLocation?: { pathname: string } };
  options: { context: { queryClient: { removeQueries(filters: { type: 'inactive' }): void } } };
};

const getRouter = (page: Page) =>
  page.evaluateHandle(() => (globalThis as unknown as { __TSR_ROUTER__?: Router }).__TSR_ROUTER__);

/** Visits a page like `visit`, and waits for its data. */
export const visitAndWait = (page: Page, path: string): Promise<void> =>
  waitUntilLoaded(page, () => visit(page, path));

/**
 * Opens a page like a click on a link does, if the console is open in the tab. Otherwise, loads the page, which takes five times the CPU
 * time because the console starts from scratch.
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (!(await navigateInConsole(page, path))) await page.goto(path);
}

/** Opens a page in the open console, like a click on a link does. Returns false if the console is not open in the tab. */
async function navigateInConsole(page: Page, path: string): Promise<boolean> {
  const router = await getRouter(page);
  const before = await router.evaluateHandle((open, to) => {
    const { resolvedLocation } = open?.state ?? {};
    open?.history.push(to);
    return resolvedLocation;
  }, path);
  const isOpen = await router.evaluate(open => open !== undefined);
  if (isOpen)
    await page.waitForFunction(
      ([open, old]) => open?.state.status === 'idle' && open.state.resolvedLocation !== old,
      [router, before] as const,
      POLLING,
    );
  await Promise.all([router.dispose(), before.dispose()]);
  return isOpen;
}

/** Leaves the open page for a page without data, which discards unsaved input and the data in memory. */
export async function leavePage(page: Page): Promise<void> {
  const router = await getRouter(page);
  await router.evaluate((open, to) => open?.history.push(to), EMPTY_PAGE);
  await page.waitForFunction(
    ([open, to]) => {
      for (const button of document.querySelectorAll<HTMLElement>('[role=dialog] button'))
        if (button.textContent === 'Discard changes') button.click();
      return open?.state.status === 'idle' && open.state.resolvedLocation?.pathname === to;
    },
    [router, EMPTY_PAGE] as const,
    { ...POLLING, timeout: LEAVE_TIMEOUT_MS },
  );
  await router.evaluate(open => open?.options.context.queryClient.removeQueries({ type: 'inactive' }));
  await router.dispose();
}

async function waitUntilLoaded<T>(page: Page, open: () => Promise<T>): Promise<T> {
  const requests = watchRequests(page.context());
  const opened = await open();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await waitUntilIdle(page);
  await requests.waitUntilQuiet();
  requests.stop();
  await waitUntilIdle(page);
  return opened;
}

export type Requests = {
  /** Waits until no request has run for 100 ms. Returns false if a request is still running after the given time. */
  waitUntilQuiet: (withinMs?: number) => Promise<boolean>;
  stop: () => void;
};

/** Watches the requests of a window. */
export function watchRequests(window: BrowserContext): Requests {
  const pending = new Set<Request>();
  let lastEndedAt = Date.now();
  const start = (request: Request) => {
    if (!isStream(request)) pending.add(request);
  };
  const end = (request: Request) => {
    pending.delete(request);
    lastEndedAt = Date.now();
  };
  window.on('request', start).on('requestfinished', end).on('requestfailed', end);
  return {
    waitUntilQuiet: async (withinMs = Number.POSITIVE_INFINITY) => {
      const deadline = Date.now() + withinMs;
      while ((pending.size > 0 || Date.now() - lastEndedAt < QUIET_MS) && Date.now() < deadline)
        await sleep(20);
      return pending.size === 0;
    },
    stop: () => void window.off('request', start).off('requestfinished', end).off('requestfailed', end),
  };
}
