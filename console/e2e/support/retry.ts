import type { Locator, Page } from 'playwright-core';

/** Clicks "Retry" and waits for what it loads. A change that another test makes can load it before the click. */
export async function retry(page: Page, content: Locator): Promise<void> {
  const loaded = content.waitFor();
  await Promise.race([page.getByRole('button', { name: 'Retry' }).click(), loaded]);
  await loaded;
}
