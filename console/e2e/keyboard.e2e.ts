import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject } from './support/api.ts';
import { createWebhook, startReceiver } from './support/receiver.ts';
import { test, testWithOwnServer } from './support/test.ts';

/** Presses Tab until the focused element has the name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let i = 0; i < 100; i++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const labelled = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return (element?.getAttribute('aria-label') ?? labelled ?? element?.textContent ?? '').trim();
    });
    const text = focused.replace(/ ?\*$/, '');
    if (typeof name === 'string' ? text === name : name.test(text)) return;
    seen.push(text.slice(0, 40));
  }
  throw new Error(`Tab does not reach "${name}", only: ${seen.join(' | ')}`);
}

/** Opens an entry of the command palette. */
async function run(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or run' });
  await palette.waitFor();
  await page.keyboard.type(text);
  await palette.getByText(text, { exact: true }).first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

// The second attempt is the last one.
const quickly = testWithOwnServer({ HALYARD_DELIVERY_SCHEDULE: '0,1' });

quickly('the keyboard alone is enough from the login to a redelivery', async ({ page, api }) => {
  const receiver = await startReceiver(503);
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  const strategies = `/api/admin/projects/${project}/features/${flag}/environments/production/strategies`;
  await api.send('POST', strategies, {
    name: 'flexibleRollout',
    title: 'Gradual rollout',
    parameters: { rollout: '50', stickiness: 'default', groupId: flag },
  });
  await createWebhook(api, project, receiver.url, { events: ['feature-strategy-update'] });
  const { username, password } = await createPerson(api, { rootRole: 'Admin' });
  await page.goto('/login');
  await page.getByRole('heading', { name: 'Log in to Halyard' }).waitFor();

  // Log in.
  await tabTo(page, 'Username or email address');
  await page.keyboard.type(username);
  await tabTo(page, 'Password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  // Find the flag.
  await run(page, flag);
  await page.getByRole('heading', { level: 1, name: flag }).waitFor();

  // Change a rollout in production.
  await tabTo(page, 'production');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Strategies in production' }).waitFor();
  await tabTo(page, /^Gradual rollout/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Rollout in percent').waitFor();
  await tabTo(page, 'Rollout in percent');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('75');
  await page.getByText('1 change', { exact: true }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved to production.').waitFor();
  expect(await api.send('GET', strategies)).toMatchObject([{ parameters: { rollout: '75' } }]);

  // Read its event.
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await page.getByRole('listbox', { name: 'Events, newest first' }).waitFor();
  await page.getByRole('option').filter({ hasText: flag }).first().waitFor();
  await page.keyboard.press('j');
  const event = page.getByRole('complementary', { name: /^Event \d+/ });
  await event.getByText('75').first().waitFor();
  await event.getByText(flag).first().waitFor();
  await accessible(page);

  // Redeliver the failed delivery.
  await expect.poll(() => receiver.received.length).toBe(2);
  await run(page, 'Deliveries');
  // The URL changes before the page does, and the events are options too.
  const deliveries = page.getByRole('listbox', { name: 'Deliveries, newest first' });
  await deliveries.getByRole('option').filter({ hasText: flag }).first().waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Failed after 2 attempts' }).waitFor();
  receiver.status = 200;
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Delivered at attempt 3' }).waitFor();
  expect(receiver.received.map(({ body }) => body.type)).toEqual(
    Array.from({ length: 3 }, () => 'feature-strategy-update'),
  );
  await accessible(page);
});

test('the first Tab on a page reaches the link that skips the navigation', async ({ page, logInAs }) => {
  await logInAs();
  await page.goto('/flags');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');

  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});
