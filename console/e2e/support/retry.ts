import type { Locator, Page } from 'playwright-core';

/** Clicks "Retry" and waits for the content. A change by a different test may load the content first, which removes the button. */
export async function retry(page: Page, content: Locator): Promise<void> {
  const loaded = content.waitFor();
  await Promise.race([page.getByRole('button', { name: 'Retry' }).click(), loaded]);
  await loaded;
}
