import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page, Request, Response } from 'playwright-core';

/** By default, Playwright looks at every frame, and so makes the browser paint each of them. */
const POLLING = { polling: 50 };

/** A page that loads no data. */
const EMPTY_PAGE = '/no-such-page';
const LEAVES_WITHIN_MS = 10_000;
const QUIET_MS = 100;

const isIdle = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[aria-busy=true]'), undefined, POLLING);

/** The event stream stays open as long as the page. */
const isStream = (request: Request): boolean => request.url().includes('/api/admin/events/stream');

/** Opens a page and waits until it has its data: no request for 100 ms. `networkidle` would wait for 500 ms, and for streams. */
export const openPage = (page: Page, address: string): Promise<Response | null> =>
  untilLoaded(page, () => page.goto(address));

/** The console's router, which it exposes on the window. */
type Router = {
  history: { push(address: string): void };
  state: { status: string; resolvedLocation?: { pathname: string } };
  options: { context: { queryClient: { removeQueries(filters: { type: 'inactive' }): void } } };
};

const routerOf = (page: Page) =>
  page.evaluateHandle(() => (globalThis as unknown as { __TSR_ROUTER__?: Router }).__TSR_ROUTER__);

/** Visits a page and waits until it has its data. */
export const goTo = (page: Page, address: string): Promise<void> =>
  untilLoaded(page, () => visit(page, address));

/**
 * Opens a page, as a link does if the tab has the console open. This takes a fifth of the CPU time of a load, which starts the console
 * again.
 */
export async function visit(page: Page, address: string): Promise<void> {
  if (!(await follow(page, address))) await page.goto(address);
}

/** Opens a page in the open console, as a link does. Returns false if the tab has no console. */
async function follow(page: Page, address: string): Promise<boolean> {
  const router = await routerOf(page);
  const before = await router.evaluateHandle((open, to) => {
    const { resolvedLocation } = open?.state ?? {};
    open?.history.push(to);
    return resolvedLocation;
  }, address);
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

/** Leaves the open page for one without data. Unsaved input and the data in memory are lost. */
export async function leavePage(page: Page): Promise<void> {
  const router = await routerOf(page);
  await router.evaluate((open, to) => open?.history.push(to), EMPTY_PAGE);
  await page.waitForFunction(
    ([open, to]) => {
      for (const button of document.querySelectorAll<HTMLElement>('[role=dialog] button'))
        if (button.textContent === 'Discard changes') button.click();
      return open?.state.status === 'idle' && open.state.resolvedLocation?.pathname === to;
    },
    [router, EMPTY_PAGE] as const,
    { ...POLLING, timeout: LEAVES_WITHIN_MS },
  );
  await router.evaluate(open => open?.options.context.queryClient.removeQueries({ type: 'inactive' }));
  await router.dispose();
}

async function untilLoaded<T>(page: Page, open: () => Promise<T>): Promise<T> {
  const requests = watchRequests(page.context());
  const opened = await open();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await isIdle(page);
  await requests.ended();
  requests.stop();
  await isIdle(page);
  return opened;
}

export type Requests = {
  /** Waits until no request has run for 100 ms. False if one still runs after the given time. */
  ended: (withinMs?: number) => Promise<boolean>;
  stop: () => void;
};

/** Watches the requests of a window. */
export function watchRequests(window: BrowserContext): Requests {
  const pending = new Set<Request>();
  let last = Date.now();
  const start = (request: Request) => {
    if (!isStream(request)) pending.add(request);
  };
  const end = (request: Request) => {
    pending.delete(request);
    last = Date.now();
  };
  window.on('request', start).on('requestfinished', end).on('requestfailed', end);
  return {
    ended: async (withinMs = Number.POSITIVE_INFINITY) => {
      const until = Date.now() + withinMs;
      while ((pending.size > 0 || Date.now() - last < QUIET_MS) && Date.now() < until) await sleep(20);
      return pending.size === 0;
    },
    stop: () => void window.off('request', start).off('requestfinished', end).off('requestfailed', end),
  };
}
