import type { Page, Request, Response } from 'playwright-core';

/** By default, Playwright looks at every frame, and so makes the browser paint each of them. */
const POLLING = { polling: 50 };

const isIdle = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[aria-busy=true]'), undefined, POLLING);

/** The event stream stays open as long as the page. */
const isStream = (request: Request): boolean => request.url().includes('/api/admin/events/stream');

/** Opens a page and waits until it has its data: no request for 100 ms. `networkidle` would wait for 500 ms, and for streams. */
export const openPage = (page: Page, address: string): Promise<Response | null> =>
  untilLoaded(page, () => page.goto(address));

/** What the console keeps of its router in the window. */
type Router = {
  history: { push(address: string): void };
  state: { status: string; resolvedLocation?: { pathname: string } };
};

/**
 * Goes to another page of the open console, as a link does, and waits until it has its data. It takes a fifth of the CPU time of
 * `openPage`, which starts the console again.
 */
export const goTo = (page: Page, address: string): Promise<void> =>
  untilLoaded(page, async () => {
    const router = await page.evaluateHandle(
      () => (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__,
    );
    await router.evaluate(({ history }, to) => history.push(to), address);
    await page.waitForFunction(
      ([{ state }, path]) => state.status === 'idle' && state.resolvedLocation?.pathname === path,
      [router, new URL(address, page.url()).pathname] as const,
      POLLING,
    );
    await router.dispose();
  });

async function untilLoaded<T>(page: Page, open: () => Promise<T>): Promise<T> {
  const pending = new Set<Request>();
  let last = Date.now();
  const start = (request: Request) => {
    if (!isStream(request)) pending.add(request);
  };
  const end = (request: Request) => {
    pending.delete(request);
    last = Date.now();
  };
  page.on('request', start).on('requestfinished', end).on('requestfailed', end);
  const opened = await open();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await isIdle(page);
  while (pending.size > 0 || Date.now() - last < 100) await page.waitForTimeout(20);
  page.off('request', start).off('requestfinished', end).off('requestfailed', end);
  await isIdle(page);
  return opened;
}
