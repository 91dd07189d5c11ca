import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { test } from './support/test.ts';

test('a view of the flags is shared with a project, opened by somebody else, and deleted by the person who shared it', async ({
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
  await accessible(otherPage);
  await sharedViews.getByRole('link', { name }).click();
  await otherPage.waitForURL(`**/projects/${project}?query=${flag}`);
  await otherPage.getByText('1 flag', { exact: true }).waitFor();

  await openViews();
  await dialog()
    .getByRole('button', { name: `Delete ${name}` })
    .click();
  await page.getByText(`View “${name}” is no longer shared.`).waitFor();
  const readViewNames = async () =>
    (await api.send<{ views: { name: string }[] }>('GET', `/api/admin/projects/${project}/views`)).views.map(
      view => view.name,
    );
  expect(await readViewNames()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readViewNames).toEqual([name]);
});
