import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { test } from './support/test.ts';

test('a flag is created from the list, and its page opens', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}`);
  await page.getByText('No flags yet.').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New flag' }).waitFor();
  const name = `checkout-${unique()}`;
  await page.getByLabel('Name').fill(name);
  await accessible(page);
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.waitForURL(`/projects/${project}/features/${name}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await accessible(page);
});

test('the naming rule of the project rejects a name while it is typed', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${project}`, {
    name: 'Payments',
    featureNaming: { pattern: 'pay\\.[a-z]+', example: 'pay.refund' },
  });
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}?edit=new`);
  await page.getByLabel('Name').fill('checkout');
  await page.getByText('This name breaks the naming rule of the project.').waitFor();
  expect(await page.getByRole('button', { name: 'Create flag' }).isDisabled()).toBe(true);
  await page.getByLabel('Name').fill('pay.checkout');
  await expect.poll(() => page.getByRole('button', { name: 'Create flag' }).isEnabled()).toBe(true);
  await accessible(page);
});

test('a toggle in the list can be undone, and another browser sees it within 5 s', async ({
  page,
  newPage,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  const other = await newPage();
  await logInAs({ rootRole: 'Viewer' }, other);
  await Promise.all([page.goto(`/projects/${project}`), other.goto(`/projects/${project}`)]);
  const toggle = page.getByLabel(`${name} in development`, { exact: true });
  const seen = other.getByLabel(`${name} in development`, { exact: true });
  await seen.waitFor();
  await toggle.click();
  await page.getByText(`${name} is enabled in development.`).waitFor();
  const start = performance.now();
  await expect.poll(() => seen.isChecked()).toBe(true);
  expect(performance.now() - start).toBeLessThan(10_000);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => toggle.isChecked()).toBe(false);
  await accessible(page);
});

test('several flags are tagged, marked stale and archived at once', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const names = [await createFlag(api, project), await createFlag(api, project)].toSorted();
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}`);
  await page.getByRole('link', { name: names[0] ?? '' }).waitFor();
  for (let n = 0; n < 2; n++) {
    await page.keyboard.press('j');
    await page.keyboard.press('x');
  }
  await page.getByText('2 flags selected').waitFor();
  await page.getByRole('button', { name: 'Add a tag…' }).click();
  await page.getByLabel('Tag', { exact: true }).fill('simple:q4');
  await page.getByRole('button', { name: 'Tag 2 flags' }).click();
  await page.getByText('Tagged 2 flags.').waitFor();
  for (let n = 0; n < 2; n++) {
    await page.keyboard.press('x');
    await page.keyboard.press('k');
  }
  await page.getByRole('button', { name: 'Mark stale…' }).click();
  await page.getByRole('button', { name: 'Mark stale: 2 flags' }).click();
  await expect.poll(() => page.getByText('Stale', { exact: true }).count()).toBe(2);
  const { tags } = await api.send<{ tags: unknown[] }>('GET', `/api/admin/features/${names[0]}/tags`);
  expect(tags).toContainEqual({ type: 'simple', value: 'q4' });
  await accessible(page);
});

test('a filter is part of the address, and Back removes it', async ({ page, newPage, api, logInAs }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project, { type: 'kill-switch' });
  await createFlag(api, project);
  await logInAs();
  await page.goto(`/projects/${project}`);
  await page.getByText('2 flags', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('type:kill-switch');
  await page.keyboard.press('Enter');
  await page.getByText('1 flag', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?type=IS:kill-switch');
  const shared = await newPage();
  await logInAs({}, shared);
  await shared.goto(page.url());
  await shared.getByRole('link', { name }).waitFor();
  await shared.getByText('1 flag', { exact: true }).waitFor();
  await page.goBack();
  await page.getByText('2 flags', { exact: true }).waitFor();
  await accessible(page);
});

test('a viewer sees disabled toggles that name the missing permission', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Viewer' });
  await page.goto(`/projects/${project}`);
  const toggle = page.getByLabel(`${name} in production`, { exact: true });
  await toggle.waitFor();
  expect(await toggle.getAttribute('title')).toBe('Requires UPDATE_FEATURE_ENVIRONMENT');
  expect(await toggle.getAttribute('aria-disabled')).toBe('true');
  await accessible(page);
});
