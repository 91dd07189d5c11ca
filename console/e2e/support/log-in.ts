import type { Page } from 'playwright-core';

/** Logs in through the API. The login page has its own tests. */
export async function logIn(
  page: Page,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const response = await page.request.post('/auth/simple/login', {
    data: { username, password },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  if (!response.ok()) throw new Error(`The login failed: ${await response.text()}`);
}
