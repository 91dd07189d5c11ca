import type { Page } from 'playwright-core';

const MAX_CHARACTERS = 8_000;

/** If the test failed, prints the page, because such failures are hard to reproduce. */
export async function printAfterFailure(page: Page, hasFailed: boolean): Promise<void> {
  if (!hasFailed || page.isClosed()) return;
  const shown = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
  // biome-ignore lint/suspicious/noConsole: the runner shows it with the failure
  console.log(`When the test failed, ${page.url()} showed:\n${shown.slice(0, MAX_CHARACTERS)}`);
}
