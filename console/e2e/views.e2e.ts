import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { test } from './support/test.ts';

test('a view of the flags is shared with a project, opened by somebody else, updated, renamed and deleted by the person who shared it', async ({
  page,
  newPage,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await createFlag(api, project);
  await logInAs({ rootRole: 'Viewer', projectRoles: { [project]: 'Member' } });
  const name = `Of ${flag}`;
  const openViews = (tab = page) => tab.getByRole('button', { name: 'Saved views' }).click();
  const dialog = (tab = page) => tab.getByRole('dialog', { name: 'Saved views' });

  await page.goto(`/projects/${project}?query=${flag}`);
  await openViews();
  await dialog().getByRole('textbox').fill(name);
  await dialog().getByRole('button', { name: 'Share with the project' }).click();
  await page.getByText(`View “${name}” shared with the project.`).waitFor();

  const otherPage = await newPage();
  await logInAs({ rootRole: 'Viewer' }, otherPage);
  await otherPage.goto(`/projects/${project}/events`);
  await openViews(otherPage);
  const sharedViews = dialog(otherPage).getByRole('list', { name: 'Shared with the project' });
  await sharedViews.getByRole('link', { name }).waitFor();
  expect(await sharedViews.getByRole('button', { name: `Delete ${name}` }).count()).toBe(0);
  const shareButton = dialog(otherPage).getByRole('button', { name: 'Share with the project' });
  expect(await shareButton.getAttribute('aria-disabled')).toBe('true');
  await expectAccessible(otherPage);
  await sharedViews.getByRole('link', { name }).click();
  await otherPage.waitForURL(`**/projects/${project}?query=${flag}`);
  await otherPage.getByText('1 flag', { exact: true }).waitFor();

  await page.goto(`/projects/${project}`);
  await openViews();
  await dialog()
    .getByRole('button', { name: `Update ${name}` })
    .click();
  await page.getByText(`View “${name}” now has the filters of this page.`).waitFor();
  const readQueries = async () =>
    (await api.send<{ views: { query: string }[] }>('GET', `/api/admin/projects/${project}/views`)).views.map(
      view => view.query,
    );
  expect(await readQueries()).toEqual(['']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readQueries).toEqual([`query=${flag}`]);
  await page.keyboard.press('Escape');

  await page.goto(`/projects/${project}/events`);
  await openViews();
  await dialog()
    .getByRole('button', { name: `Rename ${name}` })
    .waitFor();
  expect(
    await dialog()
      .getByRole('button', { name: `Update ${name}` })
      .count(),
  ).toBe(0);
  await dialog()
    .getByRole('button', { name: `Rename ${name}` })
    .click();
  const newName = `Only ${flag}`;
  await dialog()
    .getByRole('textbox', { name: `New name for “${name}”` })
    .fill(newName);
  await dialog().getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText(`View “${newName}” renamed.`).waitFor();
  await openViews();
  await dialog()
    .getByRole('button', { name: `Delete ${newName}` })
    .click();
  await page.getByText(`View “${newName}” deleted for everybody.`).waitFor();
  const readViewNames = async () =>
    (await api.send<{ views: { name: string }[] }>('GET', `/api/admin/projects/${project}/views`)).views.map(
      view => view.name,
    );
  expect(await readViewNames()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readViewNames).toEqual([newName]);
});

test('renames a saved view, and asks if a different tab has renamed it in the meantime', async ({
  page,
  server,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  await logInAs({ rootRole: 'Viewer' });
  await page.goto(`/projects/${project}?query=checkout`);
  const dialog = page.getByRole('dialog', { name: 'Saved views' });
  const openViews = () => page.getByRole('button', { name: 'Saved views' }).click();
  const nameField = dialog.getByRole('textbox');
  const renameInOtherTab = async (name: string) => {
    const { views } = await (await page.request.get('/api/admin/user/views')).json();
    const [view] = views;
    const renamed = await page.request.put(`/api/admin/user/views/${view.id}`, {
      headers: { origin: server.url },
      data: { name, page: view.page, query: view.query },
    });
    expect(renamed.status()).toBe(200);
  };
  await openViews();
  await nameField.fill('Checkout');
  await dialog.getByRole('button', { name: 'Save for me' }).click();
  await page.getByText('View “Checkout” saved.').waitFor();

  await openViews();
  await dialog.getByRole('button', { name: 'Rename Checkout' }).click();
  await dialog.getByLabel('New name for “Checkout”').fill('My checkout');
  await renameInOtherTab('Their checkout');
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();

  const theirChanges = dialog.getByRole('region', { name: 'Their changes' });
  await theirChanges.getByText('Their checkout').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Continue with mine' }).click();
  await dialog.getByLabel('New name for “Their checkout”').waitFor();
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText('View “My checkout” renamed.').waitFor();
  await openViews();
  await dialog.getByRole('link', { name: 'My checkout' }).waitFor();
});
