import type { Page, Request, Response } from 'playwright-core';

/** The event stream stays open as long as the page. */
const isStream = (request: Request): boolean => request.url().includes('/api/admin/events/stream');

/** Opens a page and waits until it has its data: no request for 100 ms. `networkidle` would wait for 500 ms, and for streams. */
export async function openPage(page: Page, address: string): Promise<Response | null> {
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
  const response = await page.goto(address);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  while (pending.size > 0 || Date.now() - last < 100) await page.waitForTimeout(20);
  page.off('request', start).off('requestfinished', end).off('requestfailed', end);
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  return response;
}
