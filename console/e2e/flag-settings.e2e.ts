import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit, visitAndWait } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

type Feature = {
  project: string;
  description?: string;
  type: string;
  impressionData: boolean;
  stale: boolean;
  archived: boolean;
  tags: { type: string; value: string }[];
  links: { id: string; url: string; title: string | null }[];
  dependencies: { feature: string; enabled: boolean; variants: string[] }[];
};

async function createFlagWithPaths(api: Api) {
  const project = await createProject(api);
  const name = await createFlag(api, project, { description: 'One-tap checkout' });
  const path = `/api/admin/projects/${project}/features/${name}`;
  return {
    project,
    name,
    path,
    pagePath: `/projects/${project}/features/${name}`,
    read: () => api.send<Feature>('GET', path),
  };
}

const dialog = (page: Page) => page.getByRole('dialog');

testAsAdmin(
  'tags are added and removed, and an invalid tag is rejected at its field',
  async ({ page, api }) => {
    const { pagePath, read } = await createFlagWithPaths(api);
    const readTags = async () => (await read()).tags.map(({ value }) => value);
    await visit(page, pagePath);

    await page.getByRole('button', { name: 'Edit tags' }).click();
    const value = dialog(page).getByLabel('Value');
    await value.fill('q');
    await value.press('Enter');
    await expect.poll(() => value.getAttribute('aria-invalid')).toBe('true');
    expect(await readTags()).toEqual([]);
    await expectAccessible(page);

    await value.fill('checkout');
    await value.press('Enter');
    await expect.poll(readTags).toEqual(['checkout']);
    await dialog(page).getByText('simple:checkout').waitFor();
    await value.fill('checkout');
    await dialog(page).getByText('The flag already has this tag.').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove tag simple:checkout' }).click();
    await expect.poll(readTags).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readTags).toEqual(['checkout']);
    await page.goBack();
    await page.getByRole('link', { name: 'simple:checkout', exact: true }).waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin(
  'links are added, edited and removed, and an invalid URL is rejected at its field',
  async ({ page, api }) => {
    const { pagePath, read } = await createFlagWithPaths(api);
    const readLinks = async () => (await read()).links.map(({ url, title }) => [url, title]);
    await visit(page, pagePath);

    await page.getByRole('button', { name: 'Add a link' }).click();
    const url = dialog(page).getByLabel('URL');
    await url.fill('ftp://example.com/PAY-17');
    await dialog(page).getByRole('button', { name: 'Add link' }).click();
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
    expect(await readLinks()).toEqual([]);
    await expectAccessible(page);
    await url.fill('https://example.com/PAY-17');
    await dialog(page).getByRole('button', { name: 'Add link' }).click();
    await page.getByRole('link', { name: 'https://example.com/PAY-17' }).waitFor();

    await page.getByRole('button', { name: 'Edit link https://example.com/PAY-17' }).click();
    await dialog(page).getByLabel('Title').fill('PAY-17');
    await dialog(page).getByRole('button', { name: 'Save link' }).click();
    await page.getByRole('link', { name: 'PAY-17', exact: true }).waitFor();
    expect(await readLinks()).toEqual([['https://example.com/PAY-17', 'PAY-17']]);

    await page.getByRole('button', { name: 'Edit link PAY-17' }).click();
    await dialog(page).getByRole('button', { name: 'Remove link' }).click();
    await expect.poll(readLinks).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readLinks).toEqual([['https://example.com/PAY-17', 'PAY-17']]);
    await expectAccessible(page);
  },
);

testAsAdmin('a parent is added with variants, changed and removed', async ({ page, api }) => {
  const { project, pagePath, read } = await createFlagWithPaths(api);
  const parent = await createFlag(api, project);
  await api.send(
    'PUT',
    `/api/admin/projects/${project}/features/${parent}/environments/development/variants`,
    [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  );
  const readParents = async () => (await read()).dependencies;
  await visit(page, `${pagePath}/dependencies`);

  await page.getByRole('button', { name: 'Add a parent' }).click();
  const flag = dialog(page).getByLabel(/^Flag/);
  await flag.fill('unknown');
  await dialog(page).getByText('"unknown" cannot be a parent. Choose an active flag').waitFor();
  expect(await dialog(page).getByRole('button', { name: 'Add parent' }).isDisabled()).toBe(true);
  await flag.fill(parent);
  await dialog(page)
    .getByLabel(/only if the parent/)
    .selectOption('variants');
  const variants = dialog(page).getByLabel('Variants of the parent');
  await dialog(page).getByRole('button', { name: 'blue', exact: true }).waitFor();
  await variants.fill('blue');
  await variants.press('Enter');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Add parent' }).click();
  const row = page.getByRole('listitem', { name: parent });
  await row.getByText('must serve blue').waitFor();
  await row.getByText('Disabled').first().waitFor();
  expect(await readParents()).toEqual([{ feature: parent, enabled: true, variants: ['blue'] }]);

  await row.getByRole('button', { name: 'Edit…' }).click();
  await dialog(page)
    .getByLabel(/only if the parent/)
    .selectOption('disabled');
  await dialog(page).getByRole('button', { name: 'Save parent' }).click();
  await row.getByText('must be disabled').waitFor();
  expect(await readParents()).toEqual([{ feature: parent, enabled: false, variants: [] }]);
  await expectAccessible(page);

  await row.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(readParents).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readParents).toHaveLength(1);
  await row.getByRole('link', { name: parent }).click();
  await page.getByRole('region', { name: 'Depend on this flag' }).waitFor();
  await page.getByRole('link', { name: /^Dependencies/ }).click();
  await page.getByText('A flag that other flags depend on cannot have parents.').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'when two people edit the settings, the second person sees both changes and chooses between them',
  async ({ page, api }) => {
    const { pagePath, path, read } = await createFlagWithPaths(api);
    await visit(page, `${pagePath}/settings`);
    await page.getByLabel('Type').selectOption('experiment');
    await page.getByLabel('Impression data').check();
    await page.getByText('2 changes', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await read()).toMatchObject({ type: 'experiment', impressionData: true, stale: false });

    await page.getByLabel('Description').fill('Mine');
    await api.send('PUT', path, { description: 'Theirs' });
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText(/^\S.* changed this flag \(.*\) while you were editing it$/).waitFor();
    await page.getByRole('region', { name: 'Their changes' }).getByText('Theirs').waitFor();
    expect((await read()).description).toBe('Theirs');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await expect.poll(async () => (await read()).description).toBe('Mine');

    await page.getByLabel('Stale').check();
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText('Stale', { exact: true }).first().waitFor();
    await expect.poll(async () => (await read()).stale).toBe(true);
    await expectAccessible(page);
  },
);

testAsAdmin('keeps input that is typed during a save', async ({ page, api }) => {
  const { pagePath, read } = await createFlagWithPaths(api);
  await visit(page, `${pagePath}/settings`);
  const secondEdit = Promise.withResolvers<void>();
  await page.route('**/api/admin/projects/*/features/*', async route => {
    if (route.request().method() === 'PUT') await secondEdit.promise;
    await route.continue();
  });
  await page.getByLabel('Description').fill('First');
  await page.getByRole('button', { name: /^Save settings/ }).click();
  await page.getByLabel('Stale').check();
  secondEdit.resolve();
  await page.getByText('Settings saved.').waitFor();
  expect(await read()).toMatchObject({ description: 'First', stale: false });
  await page.getByText('1 change', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Save settings/ }).click();
  await expect.poll(read).toMatchObject({ description: 'First', stale: true });
});

testAsAdmin(
  'a save does not overwrite a change that somebody else made right after the previous save',
  async ({ page, api }) => {
    const { pagePath, path, read } = await createFlagWithPaths(api);
    await visit(page, `${pagePath}/settings`);
    await page.getByLabel('Description').waitFor();
    const otherChange = Promise.withResolvers<void>();
    await page.route('**/api/admin/projects/*/features/*', async route => {
      // Delays the editor's next read until somebody else has changed the flag.
      if (route.request().method() === 'GET') await otherChange.promise;
      await route.continue();
    });
    await page.getByLabel('Description').fill('Mine');
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText('Settings saved.').waitFor();
    await page.getByLabel('Stale').check();
    await api.send('PUT', path, { description: 'Theirs' });
    otherChange.resolve();
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Save settings/ }).click();

    await page.getByRole('region', { name: 'Their changes' }).getByText('Theirs').waitFor();
    expect(await read()).toMatchObject({ description: 'Theirs', stale: false });
  },
);

testAsAdmin('asks before it discards unsaved settings of a flag', async ({ page, api }) => {
  const { pagePath, read } = await createFlagWithPaths(api);
  await visit(page, `${pagePath}/settings`);
  await page.getByLabel('Description').fill('Mine');

  await expectDiscardConfirmation(page, page.getByLabel('Description'), [
    () => page.getByRole('link', { name: 'Dependencies' }).click(),
    () => page.getByRole('link', { name: 'Health' }).first().click(),
  ]);
  await page.waitForURL(`${pagePath}/dependencies`);
  expect((await read()).description).toBe('One-tap checkout');
});

testAsAdmin('shows every obstacle to moving a flag, and then moves the flag', async ({ page, api }) => {
  const { project, name, pagePath } = await createFlagWithPaths(api);
  const target = await createProject(api, { name: `Search ${unique()}` });
  const parent = await createFlag(api, project);
  const dependencies = `/api/admin/projects/${project}/features/${name}/dependencies`;
  await api.send('POST', dependencies, { feature: parent });
  await api.send('DELETE', `/api/admin/projects/${target}/environments/production`);
  await api.send('POST', `/api/admin/projects/${project}/features/${name}/environments/production/on`);
  await visit(page, `${pagePath}/settings`);

  await page.getByLabel('Move to').selectOption(target);
  await page.getByRole('button', { name: 'Move…' }).click();
  await dialog(page).getByText('The flag loses its settings in production.').waitFor();
  await dialog(page).getByRole('button', { name: 'Move flag' }).click();
  await expect.poll(() => dialog(page).getByRole('alert').locator('p').count()).toBe(2);
  await expectAccessible(page);

  await api.send('DELETE', dependencies);
  await api.send('POST', `/api/admin/projects/${project}/features/${name}/environments/production/off`);
  await dialog(page).getByRole('button', { name: 'Move flag' }).click();
  await page.waitForURL(`/projects/${target}/features/${name}/settings`);
  await page.getByLabel('Description').waitFor();
  await expectAccessible(page);
});

testAsAdmin('a flag is archived, revived and deleted in its settings', async ({ page, api }) => {
  const { project, name, pagePath, path, read } = await createFlagWithPaths(api);
  await visit(page, `${pagePath}/settings`);

  await page.getByRole('button', { name: 'Archive this flag…' }).click();
  await dialog(page).getByRole('button', { name: 'Archive flag' }).click();
  await page.getByText('An archived flag cannot be changed. Revive it first.').waitFor();
  expect(await page.getByLabel('Description').isEditable()).toBe(false);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Revive flag' }).click();
  await expect.poll(async () => (await read()).archived).toBe(false);
  await page.getByRole('button', { name: 'Archive this flag…' }).click();
  await dialog(page).getByRole('button', { name: 'Archive flag' }).click();
  await page.getByRole('button', { name: 'Delete flag…' }).click();
  await page.getByRole('dialog', { name: `Delete ${name}?` }).waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Delete flag' }).click();
  await page.waitForURL(`/projects/${project}`);
  await page.getByText(`Deleted ${name}.`).waitFor();
  await expect(api.send('GET', path)).rejects.toThrow('404');
});

testAsViewer(
  'controls that a viewer cannot use are disabled and name the missing permission',
  async ({ page, api }) => {
    const { pagePath, path } = await createFlagWithPaths(api);
    await api.send('POST', `${path}/link`, { url: 'https://example.com/PAY-17', title: 'PAY-17' });
    const expectDisabled = async (name: string | RegExp, permission: string) => {
      const button = page.getByRole('button', { name });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      await button.hover();
      await page.getByRole('tooltip').getByText(`Requires the permission "${permission}"`).waitFor();
      await page.mouse.move(0, 0);
      // Waits, because `expectAccessible` would report that tooltips are outside the page's landmarks.
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
    };
    // Waits for all data, because content that loads later could move a button away from the pointer.
    await visitAndWait(page, pagePath);
    await expectDisabled('Edit tags', 'Update flag');
    await expectDisabled('Add a link', 'Update flag');
    await expectDisabled('Edit link PAY-17', 'Update flag');
    await expectAccessible(page);
    await visitAndWait(page, `${pagePath}/dependencies`);
    await expectDisabled('Add a parent', 'Update flag dependency');
    await expectAccessible(page);
    await visitAndWait(page, `${pagePath}/settings`);
    await page.getByText('Requires the permission "Update flag"').waitFor();
    await expectDisabled('Archive this flag…', 'Delete flag');
    await expectAccessible(page);
  },
);

testAsAdmin("a tab shows the flag's events, and the rail links to each event", async ({ page, api }) => {
  const { pagePath, name } = await createFlagWithPaths(api);
  await visit(page, pagePath);
  const recent = page.getByRole('region', { name: 'Recent changes' });
  expect(await recent.getByRole('listitem').getByRole('link').getAttribute('href')).toMatch(
    /^\/events\/\d+$/,
  );
  await recent.getByRole('link', { name: 'All 1' }).click();
  await page.waitForURL(`${pagePath}/events`);
  await page.getByRole('option', { name: new RegExp(name) }).click();
  await page.waitForURL(/event=\d+/);
  await expectAccessible(page);
});

testAsViewer(
  'a viewer reads the settings, and the save bar names the missing permission',
  async ({ page, api }) => {
    const { pagePath } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}/settings`);
    const description = page.getByLabel('Description');
    await description.waitFor();
    expect(await description.isEditable()).toBe(false);
    expect(await page.getByLabel('Type', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByLabel('Stale').isDisabled()).toBe(true);
    await page.getByText('Requires the permission "Update flag"').waitFor();
    expect(await page.getByRole('button', { name: /^Save settings/ }).isDisabled()).toBe(true);
    await expectAccessible(page);
  },
);
