import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { logIn } from './support/log-in.ts';
import { test, testBehindLoadBalancer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

test('a personal token shows its secret once, works, and can be deleted', async ({
  page,
  server,
  logInAs,
}) => {
  const { username } = await logInAs();
  await page.goto('/profile');
  const createButton = page.getByRole('button', { name: 'New personal token' });
  const description = page.getByLabel('Description');
  await createButton.click();
  await description.fill('lost');
  await expectDiscardConfirmation(page, description, [() => page.keyboard.press('Escape')]);

  await createButton.click();
  await description.fill('laptop');
  await page.getByLabel('Expires').selectOption('On a date…');
  await page.getByLabel('Date').fill('2020-01-01');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText(/must be in the future/i).waitFor();
  await page.getByLabel('Expires').selectOption('In 7 days');
  await page.getByRole('button', { name: 'Create token' }).click();
  const tokenDialog = page.getByRole('dialog', { name: 'Token “laptop”' });
  const secret = (await tokenDialog.locator('code').textContent()) ?? '';
  await expectAccessible(page);
  await tokenDialog.getByRole('button', { name: 'I have stored it' }).click();
  const fetchUser = () => fetch(`${server.url}/api/admin/user`, { headers: { authorization: secret } });
  expect(await (await fetchUser()).json()).toMatchObject({ user: { username } });

  await page.getByText(/Expires \d/).waitFor();
  expect(await page.getByText(secret).count()).toBe(0);
  await page.getByRole('button', { name: 'Delete laptop' }).click();
  await page.getByRole('button', { name: 'Delete token' }).click();
  await page.getByText('Token deleted.').waitFor();
  expect((await fetchUser()).status).toBe(401);
});

test('an agent token shows its limits, and cannot exceed them', async ({ page, server, logInAs }) => {
  await logInAs();
  await page.goto('/profile');
  await page.getByRole('button', { name: 'New personal token' }).click();
  await page.getByLabel('Description').fill('cleaner');
  await page.getByLabel('Access').selectOption('For an agent that changes flags within limits');
  await page.getByRole('checkbox', { name: 'Default' }).waitFor();
  await expectAccessible(page);
  const createButton = page.getByRole('button', { name: 'Create token' });
  await page.getByLabel('Maximum number of changes').fill('2');
  await createButton.click();
  await page.getByText('is required for an agent').waitFor();
  await page.getByRole('checkbox', { name: 'Default' }).check();
  await page.getByRole('checkbox', { name: 'Archive and delete flags' }).check();
  await createButton.click();
  const tokenDialog = page.getByRole('dialog', { name: 'Token “cleaner”' });
  const secret = (await tokenDialog.locator('code').textContent()) ?? '';
  await tokenDialog.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('agent · default · 1 permission · 2 of 2 changes left').waitFor();

  const response = await fetch(`${server.url}/api/admin/projects/default/features`, {
    method: 'POST',
    headers: { authorization: secret, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'made-by-agent' }),
  });
  expect(response.status).toBe(403);
});

test('ends all other sessions, and keeps this session when the password changes', async ({
  page,
  newPage,
  logInAs,
}) => {
  const person = await logInAs();
  const otherPages = [await newPage(), await newPage()];
  for (const otherPage of otherPages) await logIn(otherPage, person);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'End all other sessions…' }).click();
  await page.getByRole('button', { name: 'End 2 sessions' }).click();
  await page.getByText('2 sessions ended.').waitFor();
  for (const otherPage of otherPages)
    expect((await otherPage.request.get('/api/admin/user')).status()).toBe(401);
  expect((await page.request.get('/api/admin/user')).status()).toBe(200);

  await page.getByLabel('Current password', { exact: true }).fill('not the password');
  await page.getByLabel('New password').fill('a completely different phrase');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Is not the current password').waitFor();
  await page.getByLabel('Current password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Password changed. Your other sessions have ended.').waitFor();
  expect(await page.getByLabel('Current password', { exact: true }).inputValue()).toBe('');
  expect((await page.request.get('/api/admin/user')).status()).toBe(200);
});

test('preferences apply to lists and times, and survive a reload', async ({ page, logInAs }) => {
  await logInAs({ rootRole: 'Admin' });
  await page.goto('/projects');
  const row = page.getByRole('row').filter({ hasText: 'Default' }).first();
  const readHeight = async () => (await row.boundingBox())?.height;
  expect(await readHeight()).toBe(44);
  await page.goto('/profile');

  await page.getByLabel('Theme').selectOption('Dark');
  await page.getByLabel('Density').selectOption('Compact');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  const tokyoFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Asia/Tokyo' });
  const hours = [tokyoFormat.format(Date.now() - 60_000), tokyoFormat.format(Date.now())].join('|');
  await page.getByText(new RegExp(`Now: .*, (${hours}):`)).waitFor();
  await page.reload();

  await page.getByLabel('Time zone').waitFor();
  expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
  await expectAccessible(page);
  await page.goto('/projects');
  expect(await readHeight()).toBe(36);
});

test('saved views are listed with their pages, and can be renamed, deleted and restored', async ({
  page,
  server,
  logInAs,
}) => {
  await logInAs();
  const creation = await page.request.post('/api/admin/user/views', {
    headers: { origin: server.url },
    data: { name: 'Last week', page: '/events', query: 'from=IS:2026-11-08' },
  });
  expect(creation.status()).toBe(201);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Rename Last week' }).click();
  await page.getByLabel('Name', { exact: true }).fill('This week');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rename', exact: true }).click();

  await page.getByRole('button', { name: 'Copy the link to This week' }).waitFor();
  await page.getByRole('button', { name: 'Delete This week' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'This week' }).click();
  await page.waitForURL(url => url.pathname === '/events' && url.search === '?from=IS:2026-11-08');
});

testBehindLoadBalancer(
  'each part of the profile has an empty state, and a server error affects only that part',
  async ({ page, server, logInAs, tolerated }) => {
    tolerated.push(/responded with (a status of )?500|status of 500/);
    await logInAs();
    server.loadBalancer.broken = { paths: /\/user\/(tokens|views|sessions)/, status: 500 };
    await page.goto('/profile');
    for (const [title, text] of [
      ['Personal tokens', 'A personal token lets a script act as you. You have none.'],
      ['Saved views', 'You have none. To save one'],
      ['Sessions', 'This session'],
    ] as const) {
      const section = page.getByRole('region', { name: title });
      await section.getByText('This part did not load').waitFor();
      await page.getByLabel('New password').waitFor();
      delete server.loadBalancer.broken;
      await section.getByRole('button', { name: 'Retry' }).click();
      await section.getByText(text).waitFor();
    }
    await expectAccessible(page);
  },
);

test('renaming a view asks for confirmation if a different tab has renamed the view', async ({
  page,
  server,
  logInAs,
}) => {
  await logInAs();
  const headers = { origin: server.url };
  const view = { name: 'Last week', page: '/events', query: 'from=IS:2026-11-08' };
  const { id } = await (await page.request.post('/api/admin/user/views', { headers, data: view })).json();
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Rename Last week' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('This week');
  const data = { ...view, name: 'Past week' };
  expect((await page.request.put(`/api/admin/user/views/${id}`, { headers, data })).status()).toBe(200);

  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.getByRole('alert').getByText('This view was renamed to “Past week”').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('button', { name: 'Copy the link to This week' }).waitFor();
});

test('a view that was deleted in a different window cannot be renamed, and a deleted token disappears', async ({
  page,
  server,
  logInAs,
}) => {
  await logInAs();
  const headers = { origin: server.url };
  const view = { name: 'Last week', page: '/events', query: 'from=IS:2026-11-08' };
  const { id: viewId } = await (
    await page.request.post('/api/admin/user/views', { headers, data: view })
  ).json();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const token = { description: 'laptop', expiresAt };
  const { id: tokenId } = await (
    await page.request.post('/api/admin/user/tokens', { headers, data: token })
  ).json();
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Rename Last week' }).click();
  await page.getByLabel('Name', { exact: true }).fill('This week');
  expect((await page.request.delete(`/api/admin/user/views/${viewId}`, { headers })).ok()).toBe(true);
  expect((await page.request.delete(`/api/admin/user/tokens/${tokenId}`, { headers })).ok()).toBe(true);
  const dialog = page.getByRole('dialog');

  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('This week');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('A personal token lets a script act as you. You have none.').waitFor();
});
