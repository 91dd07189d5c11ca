import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { createWebhook, startReceiver } from './support/receiver.ts';
import { retry } from './support/retry.ts';
import {
  test,
  testAsAdmin,
  testAsViewer,
  testBehindLoadBalancer,
  testWithOwnServer,
} from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const rows = (page: Page) =>
  page.getByRole('listbox', { name: 'Deliveries, newest first' }).getByRole('option');

testAsAdmin('creates an integration, shows its secret once, and sends a test', async ({ page, api }) => {
  const receiver = await startReceiver();
  const name = `Payments ${unique()}`;
  await createProject(api, { name });
  const description = `Change log ${unique()}`;
  await visit(page, '/integrations');
  await page
    .getByRole('complementary', { name: 'New integration' })
    .getByText('Webhook', { exact: true })
    .waitFor();
  await page.keyboard.press('n');
  await page.getByRole('menuitem', { name: 'Webhook', exact: true }).click();
  expect(await page.getByRole('button', { name: 'Create integration' }).isDisabled()).toBe(true);
  await expectAccessible(page);

  await page.getByLabel('Description').fill(description);
  await page.getByLabel(/^URL/).fill('not an address');
  await page.getByRole('button', { name: 'Create integration' }).click();
  await expect.poll(() => page.getByLabel(/^URL/).getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel(/^URL/).fill(receiver.url);
  await page
    .locator('input')
    .and(page.getByLabel('Projects', { exact: true }))
    .fill(name);
  await page.getByRole('option', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create integration' }).click();
  const dialog = page.getByRole('dialog', { name: 'Signing secret' });
  await dialog.getByText(/^whsec_/).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('heading', { name: description }).waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect.poll(() => receiver.received.map(({ body }) => body.type)).toEqual(['integration-tested']);
  await rows(page).filter({ hasText: '200' }).click();
  await page.getByRole('heading', { name: 'Delivered on attempt 1' }).waitFor();
  await expectAccessible(page);
  await page
    .getByRole('navigation', { name: 'Parts of the integration' })
    .getByRole('link', { name: 'Settings' })
    .click();
  expect(await page.getByLabel(/^URL/).inputValue()).toBe('*****');
  await expectAccessible(page);
  await visit(page, '/integrations');
  await page.getByRole('link', { name: description }).waitFor();
  await expectAccessible(page);
});

testAsAdmin('asks before it discards a new integration', async ({ page }) => {
  await visit(page, '/integrations/new/webhook');
  await page.getByLabel('Description').fill('Change log');

  await expectDiscardConfirmation(page, page.getByLabel('Description'), [
    () => page.getByRole('link', { name: 'Cancel' }).click(),
    () => page.getByRole('link', { name: 'Deliveries' }).click(),
  ]);
  await page.waitForURL('/integrations');
});

const readIntegration = (api: Api, id: number) =>
  api.send<{ description: string }>('GET', `/api/admin/addons/${id}`);

testAsAdmin(
  'edits an integration, resolves a conflict between two editors, and deletes the integration',
  async ({ page, api }) => {
    const receiver = await startReceiver();
    const project = await createProject(api);
    const id = await createWebhook(api, project, receiver.url);
    await visit(page, `/integrations/${id}`);
    const description = page.getByLabel('Description');
    const saveButton = page.getByRole('button', { name: /^Save/ });
    await description.fill('Change log of payments');
    await saveButton.click();
    await page.getByText('Settings saved.').waitFor();
    await page.getByRole('heading', { name: 'Change log of payments' }).waitFor();

    await description.fill('Mine');
    await api.send('PUT', `/api/admin/addons/${id}`, {
      provider: 'webhook',
      description: 'Theirs',
      enabled: true,
      events: ['feature-created'],
      projects: [project],
      parameters: { url: receiver.url },
    });
    await saveButton.click();
    await page
      .getByRole('heading', { name: /changed this integration .*while you were editing it/ })
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await saveButton.click();
    await expect.poll(() => readIntegration(api, id)).toMatchObject({ description: 'Mine' });
    await expect.poll(() => saveButton.isDisabled()).toBe(true);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: /^Delete/ }).click();
    await page.waitForURL('/integrations');
    await expect(readIntegration(api, id)).rejects.toThrow('404');
  },
);

testBehindLoadBalancer(
  'after a server error, the integration pages stay open and offer a retry',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/responded with (a status of )?500|status of 500/);
    const id = await createWebhook(api, await createProject(api), 'http://127.0.0.1:9/hook');
    await logInAs({ rootRole: 'Admin' });
    const { description } = await readIntegration(api, id);
    server.loadBalancer.broken = { paths: /^\/api\/admin\/addons/, status: 500 };
    await page.goto('/integrations');
    await page.getByRole('heading', { name: 'This part did not load' }).waitFor();
    delete server.loadBalancer.broken;
    await retry(page, page.getByRole('link', { name: description }));

    await visit(page, `/integrations/${id}`);
    await page.getByLabel('Description').fill('Mine');
    server.loadBalancer.broken = { paths: /^\/api\/admin\/addons\/\d+$/, status: 500 };
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('The server responded with status 500.').waitFor();
    delete server.loadBalancer.broken;
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await readIntegration(api, id)).toMatchObject({ description: 'Mine' });
  },
);

// A failed delivery is retried once, after 1 s.
const testWithQuickRetries = testWithOwnServer({ HALYARD_DELIVERY_SCHEDULE: '0,1' });

testWithQuickRetries(
  'shows why a delivery failed, and redelivers the event',
  async ({ page, api, logInAs }) => {
    const receiver = await startReceiver(503);
    const project = await createProject(api);
    const id = await createWebhook(api, project, receiver.url);
    const flag = await createFlag(api, project);
    await logInAs({ rootRole: 'Admin' });

    await page.goto(`/integrations/${id}/deliveries?state=IS:failed`);
    await rows(page).filter({ hasText: flag }).click();
    await page.getByRole('heading', { name: 'Failed after 2 attempts' }).waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^\d+$/);
    await page.getByRole('button', { name: 'Attempt 1: 503' }).click();
    await page.waitForURL(url => url.searchParams.get('attempt') === '1');
    await page.getByRole('radiogroup', { name: 'Part of the attempt' }).getByText('Request').click();
    await page.getByText('webhook-signature').waitFor();
    await expectAccessible(page);

    receiver.status = 200;
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Delivered on attempt 3' }).waitFor();
    expect(receiver.flags()).toEqual([flag, flag, flag]);
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(1);
    await expectAccessible(page);
  },
);

testWithQuickRetries(
  'skips a delivery that blocks an ordered integration',
  async ({ page, api, logInAs }) => {
    const receiver = await startReceiver(500);
    const project = await createProject(api);
    const id = await createWebhook(api, project, receiver.url, { ordered: true, whenExhausted: 'block' });
    const [first, second] = [await createFlag(api, project), await createFlag(api, project)];
    await logInAs({ rootRole: 'Admin' });

    await page.goto(`/integrations/${id}/deliveries`);
    await rows(page).filter({ hasText: second }).click();
    await page.getByRole('heading', { name: /^Waiting for event \d+, whose delivery failed/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Skip…' }).getAttribute('title')).toBe(
      'This delivery has attempts left. It can be skipped after the last one.',
    );
    const delivery = new URL(page.url()).searchParams.get('delivery');
    await page.goto(`/integrations/${id}/deliveries/${delivery}`);
    const tabs = page.getByRole('navigation', { name: 'Parts of the integration' });
    await tabs.getByRole('link', { name: 'Deliveries' }).waitFor();
    expect(await tabs.locator('[aria-current=page]').allTextContents()).toEqual(['Deliveries']);
    await rows(page).filter({ hasText: first }).click();
    await page
      .getByRole('heading', { name: 'Failed after 2 attempts. It blocks later deliveries' })
      .waitFor();
    await expectAccessible(page);
    receiver.status = 200;
    await page.getByRole('button', { name: 'Skip…' }).click();
    await page.getByRole('dialog', { name: 'Skip this delivery?' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Skip delivery' }).click();

    await expect.poll(() => receiver.flags()).toEqual([first, first, second]);
    await rows(page).filter({ hasText: second }).filter({ hasText: '200' }).waitFor();
    await expectAccessible(page);
  },
);

testWithQuickRetries(
  'shows how many deliveries a range contains, and replays the range',
  async ({ page, api, logInAs }) => {
    const receiver = await startReceiver(500);
    const project = await createProject(api);
    const earlierFlag = await createFlag(api, project);
    const id = await createWebhook(api, project, receiver.url);
    const [first, second] = [await createFlag(api, project), await createFlag(api, project)];
    await expect.poll(() => receiver.received.length).toBe(4);
    receiver.status = 200;
    receiver.received.length = 0;
    await logInAs({ rootRole: 'Admin' });

    await page.goto(`/integrations/${id}/deliveries`);
    await page.getByRole('button', { name: 'Replay…' }).click();
    await page.getByText('2 failed deliveries in this range.').waitFor();
    expect(receiver.received).toEqual([]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Replay 2 failed deliveries' }).click();
    await page.getByText('2 deliveries queued. None remain in the range.').waitFor();
    await expect.poll(() => receiver.flags().toSorted()).toEqual([first, second].toSorted());

    await page.getByText('Events without a delivery', { exact: true }).click();
    await page.getByRole('button', { name: 'Replay 1 event without a delivery' }).click();
    await expect.poll(() => receiver.flags()).toContain(earlierFlag);
    await page.getByText('1 delivery queued. None remain in the range.').waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin('shows how long an integration has been failing, even under 1 s', async ({ page, api }) => {
  const id = await createWebhook(api, await createProject(api), 'https://example.com/hook');
  await page.route(`**/api/admin/addons/${id}`, async route => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), failingSince: new Date() } });
  });
  await visit(page, `/integrations/${id}/deliveries`);

  await page
    .getByText(/^Failing for \d+(\.\d)? s/)
    .first()
    .waitFor();
});

testAsAdmin('lists the deliveries of all integrations', async ({ page, api }) => {
  const receiver = await startReceiver();
  const project = await createProject(api);
  const description = `Webhook ${unique()}`;
  const id = await createWebhook(api, project, receiver.url, { description });
  const flag = await createFlag(api, project);
  await expect.poll(() => receiver.flags()).toEqual([flag]);

  // Searches for the flag, because integrations of other tests may also deliver its event.
  await visit(page, `/deliveries?query=${flag}`);
  await rows(page).filter({ hasText: description }).click();
  await page.getByRole('heading', { name: 'Delivered on attempt 1' }).waitFor();
  expect(new URL(page.url()).searchParams.get('integration')).toBe(String(id));
  await expectAccessible(page);
});

test('counts a retrying delivery as not delivered, and redelivers it immediately', async ({
  newPage,
  api,
  logInAs,
}) => {
  const receiver = await startReceiver();
  const project = await createProject(api);
  const id = await createWebhook(api, project, receiver.url);
  const first = await createFlag(api, project);
  await expect.poll(() => receiver.flags()).toEqual([first]);
  receiver.status = 503;
  const flag = await createFlag(api, project);
  const page = await newPage({ viewport: { width: 1024, height: 768 } });
  await logInAs({ rootRole: 'Admin' }, page);

  // After 2 failed attempts, the third is due only after 5 minutes.
  await page.goto(`/integrations/${id}/deliveries`);
  await page.getByText('1 of 2 in 24 h').first().waitFor();
  await page.getByText('50 %').first().waitFor();
  expect(await page.getByText('redeliver', { exact: true }).count()).toBe(0);
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Retrying 1').click();
  await page.waitForURL(url => url.searchParams.get('state') === 'IS:retrying');
  await rows(page).filter({ hasText: flag }).filter({ hasText: '2 attempts' }).click();
  await page.getByRole('button', { name: 'Redeliver now' }).waitFor();
  expect(await rows(page).count()).toBe(0);
  await expectAccessible(page);
  receiver.status = 200;
  await page.keyboard.press('r');

  await page.getByText('The next attempt starts now. The schedule continues.').waitFor();
  await page.getByRole('heading', { name: 'Delivered on attempt 3' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('2 of 2 in 24 h').waitFor();
  await page.getByText('1 of 2 in 24 h').waitFor();
  await expectAccessible(page);
});

testAsViewer('names the permission that a user lacks', async ({ page, api }) => {
  const project = await createProject(api);
  const id = await createWebhook(api, project, 'https://example.com/hook');
  await visit(page, `/integrations/${id}/deliveries`);
  await page.getByRole('heading', { name: 'You need a different permission' }).waitFor();
  expect(await page.getByRole('heading', { name: 'You need a different permission' }).count()).toBe(1);
  expect(await page.getByRole('radiogroup', { name: 'State' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send test' }).focus();
  await page.getByText('Requires the permission "Update integration"').waitFor();
  // Closes the tooltip, because `expectAccessible` would report that tooltips are outside the page's landmarks.
  await page.getByRole('button', { name: 'Send test' }).blur();
  await page.getByText('Requires the permission "Update integration"').waitFor({ state: 'hidden' });
  await expectAccessible(page);
});

testAsAdmin(
  'the menu counts failing integrations only for users who can see their deliveries',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const description = `Webhook ${unique()}`;
    const id = await createWebhook(api, project, 'http://127.0.0.1:9/', { description });
    await createFlag(api, project);
    const readFailingSince = async () =>
      (await api.send<{ failingSince: string | null }>('GET', `/api/admin/addons/${id}`)).failingSince;
    await expect.poll(readFailingSince).not.toBeNull();
    const failingCount = (tab: Page) =>
      tab.getByRole('navigation', { name: 'Main' }).getByText(/^\d+ failing$/);

    // Opens the page only after the failure, because a failure causes no event, so a page that was already open would not show it.
    await visit(page, '/integrations');
    await failingCount(page).waitFor();
    const viewerPage = await newPage();
    await logInAs({ rootRole: 'Viewer' }, viewerPage);
    await viewerPage.goto('/integrations');
    await viewerPage.getByRole('link', { name: description }).waitFor();
    await viewerPage.waitForTimeout(500);

    expect(await failingCount(viewerPage).count()).toBe(0);
  },
);

testAsViewer("a viewer can open an integration's settings, but not its deliveries", async ({ page, api }) => {
  const description = `Webhook ${unique()}`;
  const project = await createProject(api);
  const id = await createWebhook(api, project, 'http://127.0.0.1:9/', { description, enabled: false });
  await visit(page, '/integrations');
  const allDeliveriesLink = page.getByRole('link', { name: 'All deliveries' });
  await expect.poll(() => allDeliveriesLink.getAttribute('aria-disabled')).toBe('true');
  await allDeliveriesLink.focus();
  await page.getByText('Requires the Admin role').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: description }).click();

  await page.waitForURL(`/integrations/${id}`);
  await page.getByRole('heading', { level: 1, name: description }).waitFor();
  expect(await page.getByRole('link', { name: 'Deliveries' }).count()).toBe(0);
  await expectAccessible(page);
});

test('on a narrow screen, the columns of integrations and deliveries do not overlap', async ({
  newPage,
  api,
  logInAs,
}) => {
  const receiver = await startReceiver();
  const project = await createProject(api);
  const description = `A long name of a webhook ${unique()}`;
  await createWebhook(api, project, `${receiver.url}/${'long'.repeat(60)}`, { description });
  const flag = await createFlag(api, project);
  await expect.poll(() => receiver.flags()).toContain(flag);
  const page = await newPage({ viewport: { width: 360, height: 740 } });
  await logInAs({ rootRole: 'Admin' }, page);
  const readBox = async (element: import('playwright-core').Locator) => {
    const box = await element.boundingBox();
    if (!box) throw new Error('The element is not visible');
    return box;
  };

  await page.goto('/integrations');
  const row = page.getByRole('row', { name: description });
  const toggle = await readBox(row.getByLabel(`${description} enabled`));
  for (const part of [
    row.getByRole('link', { name: description }),
    row.getByText('Enabled', { exact: true }),
  ]) {
    const box = await readBox(part);
    expect(box.x + box.width).toBeLessThanOrEqual(toggle.x);
    expect(box.width).toBeGreaterThan(50);
  }
  await expectAccessible(page);

  await page.goto('/deliveries');
  const sentence = page
    .getByRole('option')
    .filter({ hasText: flag })
    .getByText(/created/)
    .first();
  expect((await readBox(sentence)).width).toBeGreaterThan(180);
  await expectAccessible(page);

  await sentence.click();
  const parts = page.getByRole('radiogroup', { name: 'Part of the attempt' });
  await parts.getByText('Event').click();
  await page.waitForURL(/show=event/);
  const [partsBox, lastPartBox] = [await readBox(parts), await readBox(parts.getByText('Event'))];
  expect(lastPartBox.x + lastPartBox.width).toBeLessThanOrEqual(partsBox.x + partsBox.width);
  await expectAccessible(page);
});

test('tells a user who can read roles which roles have the missing permission', async ({
  page,
  api,
  logInAs,
}) => {
  const { roles } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `Auditor ${unique()}`,
    type: 'root-custom',
    permissions: [{ name: 'READ_ROLE' }],
  });
  const id = await createWebhook(api, await createProject(api), 'https://example.com/hook');
  const person = await logInAs();
  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: roles.id });

  await page.goto(`/integrations/${id}/deliveries`);

  const message = page.getByRole('alert').filter({ hasText: 'You need a different permission' }).first();
  await message.getByText('This operation requires the permission ADMIN.').waitFor();
  await message.getByText('This role has it: Admin.').waitFor();
  await message.getByText('An admin can grant you a role that has it.').waitFor();
  await expectAccessible(page);
});
