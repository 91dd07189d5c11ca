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
  const open = (on = page) => on.getByRole('button', { name: 'Saved views' }).click();
  const dialog = (on = page) => on.getByRole('dialog', { name: 'Saved views' });

  await page.goto(`/projects/${project}?query=${flag}`);
  await open();
  await dialog().getByRole('textbox').fill(name);
  await dialog().getByRole('button', { name: 'Share with the project' }).click();
  await page.getByText(`View “${name}” shared with the project.`).waitFor();

  const other = await newPage();
  await logInAs({ rootRole: 'Viewer' }, other);
  await other.goto(`/projects/${project}/events`);
  await open(other);
  const shared = dialog(other).getByRole('list', { name: 'Shared with the project' });
  await shared.getByRole('link', { name }).waitFor();
  expect(await shared.getByRole('button', { name: `Delete ${name}` }).count()).toBe(0);
  const share = dialog(other).getByRole('button', { name: 'Share with the project' });
  expect(await share.getAttribute('aria-disabled')).toBe('true');
  await accessible(other);
  await shared.getByRole('link', { name }).click();
  await other.waitForURL(`**/projects/${project}?query=${flag}`);
  await other.getByText('1 flag', { exact: true }).waitFor();

  await open();
  await dialog()
    .getByRole('button', { name: `Delete ${name}` })
    .click();
  await page.getByText(`View “${name}” is no longer shared.`).waitFor();
  const shownNow = async () =>
    (await api.send<{ views: { name: string }[] }>('GET', `/api/admin/projects/${project}/views`)).views.map(
      one => one.name,
    );
  expect(await shownNow()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(shownNow).toEqual([name]);
});
