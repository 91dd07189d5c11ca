import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject } from './support/api.ts';
import { createWebhook, startReceiver } from './support/receiver.ts';
import { test, testWithOwnServer } from './support/test.ts';

/** Presses Tab until the focused element has the name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const focusedNames: string[] = [];
  for (let i = 0; i < 100; i++) {
    await page.keyboard.press('Tab');
    const focusedLabel = await page.evaluate(() => {
      const element = document.activeElement;
      const inputLabel = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return (element?.getAttribute('aria-label') ?? inputLabel ?? element?.textContent ?? '').trim();
    });
    const focusedName = focusedLabel.replace(/ ?\*$/, '');
    if (typeof name === 'string' ? focusedName === name : name.test(focusedName)) return;
    focusedNames.push(focusedName.slice(0, 40));
  }
  throw new Error(`Tab does not reach "${name}", only: ${focusedNames.join(' | ')}`);
}

/** Finds an entry in the command palette and runs the entry. */
async function runPaletteEntry(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or run' });
  await palette.waitFor();
  await page.keyboard.type(text);
  await palette.getByText(text, { exact: true }).first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

// A failed delivery is retried once, after 1 s.
const testWithQuickRetries = testWithOwnServer({ HALYARD_DELIVERY_SCHEDULE: '0,1' });

testWithQuickRetries(
  'a user can log in, change a rollout and redeliver an event with the keyboard alone',
  async ({ page, api }) => {
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
    await runPaletteEntry(page, flag);
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

    // Read the event of the change.
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('listbox', { name: 'Events, newest first' }).waitFor();
    await page.getByRole('option').filter({ hasText: flag }).first().waitFor();
    await page.keyboard.press('j');
    const event = page.getByRole('complementary', { name: /^Event \d+/ });
    await event.getByText('75').first().waitFor();
    await event.getByText(flag).first().waitFor();
    await expectAccessible(page);

    // Redeliver the failed delivery.
    await expect.poll(() => receiver.received.length).toBe(2);
    await runPaletteEntry(page, 'Deliveries');
    // Waits for the list by name, because the URL changes first, and the event list also has options.
    const deliveries = page.getByRole('listbox', { name: 'Deliveries, newest first' });
    await deliveries.getByRole('option').filter({ hasText: flag }).first().waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Failed after 2 attempts' }).waitFor();
    receiver.status = 200;
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Delivered on attempt 3' }).waitFor();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(
      Array.from({ length: 3 }, () => 'feature-strategy-update'),
    );
    await expectAccessible(page);
  },
);

test('Tab reaches a link that skips the navigation and focuses the content', async ({ page, logInAs }) => {
  await logInAs();
  await page.goto('/flags');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');

  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});

// The user panel lists all projects, so on the shared server, it would take too many Tab presses to reach the button.
testWithOwnServer()(
  'an admin can deactivate a user with the keyboard alone',
  async ({ page, api, logInAs }) => {
    await logInAs({ rootRole: 'Admin' });
    const { id, username } = await createPerson(api);
    await page.goto('/admin/users');
    await page.getByRole('row').nth(1).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type(username);
    await page.getByText('1 user', { exact: true }).waitFor();
    await tabTo(page, 'Users');
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: username }).waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, 'Deactivate…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Deactivate');
    await page.keyboard.press('Enter');

    await page.getByText(`Deactivated ${username}.`).waitFor();
    expect(await api.send('GET', `/api/admin/user-admin/${id}`)).toMatchObject({
      deactivatedAt: expect.any(String),
    });
  },
);

testWithOwnServer()(
  'an admin can reorder environments with the keyboard alone, and focus stays in the row',
  async ({ page, api, logInAs }) => {
    await logInAs({ rootRole: 'Admin' });
    const readNames = async () =>
      (
        await api.send<{ environments: { name: string }[] }>('GET', '/api/admin/environments')
      ).environments.map(({ name }) => name);
    await page.goto('/admin/environments');
    await page.getByRole('row').nth(2).waitFor();

    await tabTo(page, 'Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'production');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('production is now number 1 of 2.').waitFor();
    await expect.poll(readNames).toEqual(['production', 'development']);
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByText('production is now number 2 of 2.').waitFor();
    await expect.poll(readNames).toEqual(['development', 'production']);

    await tabTo(page, 'Move production up');
    await page.keyboard.press('Enter');
    await expect.poll(readNames).toEqual(['production', 'development']);
  },
);
