import { expect } from 'vitest';
import { createPerson } from './support/api.ts';
import { test } from './support/test.ts';

/** Presses Tab until the focused element has the name. */
async function tabTo(page: import('playwright-core').Page, name: string): Promise<void> {
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const labelled = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return (element?.getAttribute('aria-label') ?? labelled ?? element?.textContent ?? '').trim();
    });
    if (focused.replace(/ ?\*$/, '') === name) return;
  }
  throw new Error(`Tab does not reach "${name}"`);
}

test('the keyboard alone is enough to log in and to open a page', async ({ page, api }) => {
  const { username, password } = await createPerson(api, { rootRole: 'Editor' });
  await page.goto('/login');
  await page.getByRole('heading', { name: 'Log in to Halyard' }).waitFor();

  await tabTo(page, 'Username or e-mail address');
  await page.keyboard.type(username);
  await tabTo(page, 'Password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await tabTo(page, 'Events');
  await page.keyboard.press('Enter');

  // The first link of this name leads to the events of the project in the sidebar.
  await page.waitForURL(/\/events$/);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toMatch(/Events|Event log/);
});

test('the first Tab on a page reaches the link that skips the navigation', async ({ page, logInAs }) => {
  await logInAs();
  await page.goto('/flags');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');

  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});
