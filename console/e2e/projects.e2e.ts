import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createPerson, createProject, unique } from './support/api.ts';
import { logIn } from './support/log-in.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin, testAsEditor, testAsViewer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const row = (page: Page, project: string) => page.getByRole('row').filter({ hasText: project });

/** Opens the list filtered by a string, because the shared server has many projects, and the list renders only visible rows. */
const openFiltered = (page: Page, text: string) => visit(page, `/projects?query=${encodeURIComponent(text)}`);

/** Closes the focused control's tooltip, because `expectAccessible` would report that tooltips are outside the page's landmarks. */
async function closeTooltip(page: Page): Promise<void> {
  await page.locator(':focus').blur();
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
}

/** Logs in as a user with a new custom role in the project. */
async function logInWithPermissions(
  api: Api,
  page: Page,
  project: string,
  permissions: string[],
): Promise<void> {
  const name = `Role ${unique()}`;
  await api.send('POST', '/api/admin/roles', {
    name,
    type: 'custom',
    permissions: permissions.map(permission => ({ name: permission })),
  });
  await logIn(page, await createPerson(api, { projectRoles: { [project]: name } }));
}

testAsEditor('creates a project, and checks its id while the user types', async ({ page, api }) => {
  const takenId = await createProject(api);
  const id = `mobile-${unique()}`;
  await visit(page, '/projects');

  await page.getByRole('button', { name: /^New project/ }).click();
  const panel = page.getByRole('dialog', { name: 'New project' });
  const submitButton = panel.getByRole('button', { name: 'Create project' });
  await panel.getByLabel('Name').fill('Mobile apps');
  expect(await panel.getByLabel('Id').inputValue()).toBe('mobile-apps');
  await panel.getByLabel('Id').fill('mobile apps');
  await panel.getByText('An id must not contain spaces.').waitFor();
  expect(await submitButton.isDisabled()).toBe(true);
  await panel.getByLabel('Id').fill(takenId);
  await panel.getByText(`Project "${takenId}" already exists.`).waitFor();
  await panel.getByLabel('Id').fill(id);
  await panel.getByLabel('Mode').selectOption('private');
  await expectAccessible(page);
  await submitButton.click();

  // Until the project's page replaces the panel, the panel's unsaved input would block the next navigation.
  await page.getByRole('heading', { level: 1, name: 'Mobile apps' }).waitFor();
  expect(page.url()).toMatch(new RegExp(`/projects/${id}$`));
  expect(await api.send('GET', `/api/admin/projects/${id}`)).toMatchObject({
    name: 'Mobile apps',
    mode: 'private',
  });
  await openFiltered(page, id);
  await row(page, id).getByText('Private').waitFor();
  await expectAccessible(page);
});

testAsEditor('asks before it discards a new project', async ({ page }) => {
  await visit(page, '/projects?query=none&edit=new');
  const panel = page.getByRole('dialog', { name: 'New project' });
  await panel.getByLabel('Name').fill('Mobile apps');

  await expectDiscardConfirmation(page, panel.getByLabel('Name'), [
    () => page.keyboard.press('Escape'),
    () => panel.getByRole('button', { name: 'Close' }).click(),
  ]);
});

testAsViewer('finds a project by its id, and keeps the filter in the URL', async ({ page, api }) => {
  const name = `Found ${unique()}`;
  const [firstProject, secondProject] = [
    await createProject(api, { name }),
    await createProject(api, { name }),
  ];
  await openFiltered(page, name);
  await row(page, secondProject).waitFor();

  await visit(page, '/projects');
  await page.getByLabel('Filter projects').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(firstProject.toUpperCase());

  await row(page, secondProject).waitFor({ state: 'hidden' });
  await row(page, firstProject).waitFor();
  await page.reload();
  await page.getByText('1 project', { exact: true }).waitFor();
  await page.getByLabel('Filter projects').fill(`no-${unique()}`);
  await page.getByText('No projects match.').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'shows what prevents archiving a project, archives the project, and revives it',
  async ({ page, api }) => {
    const project = await createProject(api);
    await visit(page, `/projects?query=${project}`);
    const archiveButton = row(page, project).getByRole('button', { name: /^Archive/ });
    const dialog = page.getByRole('dialog');

    await archiveButton.click();
    await dialog.getByText('You can revive it later.').waitFor();
    const flag = await createFlag(api, project);
    await dialog.getByText('has 1 active flag').waitFor();
    expect(await dialog.getByRole('button', { name: 'Archive project' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await api.send('DELETE', `/api/admin/projects/${project}/features/${flag}`);
    await page.reload();
    await archiveButton.click();
    await dialog.getByText('You can revive it later.').waitFor();
    await dialog.getByRole('button', { name: 'Archive project' }).click();
    await row(page, project).waitFor({ state: 'hidden' });

    await page.getByText('Archived', { exact: true }).click();
    await row(page, project)
      .getByRole('button', { name: /^Revive/ })
      .click();
    await dialog.getByRole('button', { name: 'Revive project' }).click();
    await row(page, project).waitFor({ state: 'hidden' });
    await page.goBack();
    await archiveButton.waitFor();
    await expectAccessible(page);
  },
);

test('lists favorites first', async ({ page, api, logInAs }) => {
  const name = `Zebra ${unique()}`;
  await createProject(api, { name });
  const favorite = await createProject(api, { name: `${name} last` });
  await logInAs();
  await openFiltered(page, name);

  await row(page, favorite)
    .getByRole('button', { name: `Favorite ${name} last` })
    .click();

  const firstRow = page.getByRole('row').nth(1);
  await expect.poll(() => firstRow.textContent()).toContain(favorite);
  await page.reload();
  await expect.poll(() => firstRow.textContent()).toContain(favorite);
  await expectAccessible(page);
});

test('hides a private project from a user who is not a member', async ({ page, newPage, api, logInAs }) => {
  const hiddenProject = await createProject(api, { name: 'Acquisition', mode: 'private' });
  const visibleProject = await createProject(api);
  const flag = await createFlag(api, hiddenProject);
  const memberPage = await newPage();
  await logInAs({ projectRoles: { [hiddenProject]: 'Member' } }, memberPage);
  await logInAs({ rootRole: 'Editor' });

  await openFiltered(memberPage, hiddenProject);
  await row(memberPage, hiddenProject).waitFor();
  await openFiltered(page, visibleProject);
  await row(page, visibleProject).waitFor();
  await openFiltered(page, hiddenProject);
  await page.getByText('No projects match.').waitFor();

  expect(await row(page, hiddenProject).count()).toBe(0);
  await page.goto(`/flags?query=${flag}`);
  await page.getByText('No flags match.').waitFor();
  await page.goto(`/projects/${hiddenProject}/features/${flag}`);
  await page.getByText('Not found, or you cannot read it').waitFor();
  await expectAccessible(page);
});

test('disables the controls that a custom role does not permit, and names the permission', async ({
  page,
  api,
}) => {
  const name = `Limited ${unique()}`;
  const project = await createProject(api, { name });
  const flag = await createFlag(api, project);
  const otherProject = await createProject(api, { name });
  await logInWithPermissions(api, page, project, ['DELETE_PROJECT', 'UPDATE_FEATURE']);
  await openFiltered(page, name);
  const archiveProjectButton = (id: string) => row(page, id).getByRole('button', { name: /^Archive/ });

  await archiveProjectButton(project).waitFor();
  expect(await archiveProjectButton(project).getAttribute('aria-disabled')).toBeNull();
  expect(await archiveProjectButton(otherProject).getAttribute('aria-disabled')).toBe('true');
  await archiveProjectButton(otherProject).focus();
  await page.getByRole('tooltip').getByText('Requires the permission "Delete project"').waitFor();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: /^New project/ }).focus();
  await page.getByText('Requires the permission "Create project"').waitFor();
  await closeTooltip(page);
  await expectAccessible(page);

  await page.goto(`/projects/${project}/features/${flag}`);
  const archiveFlagButton = page.getByRole('button', { name: 'Archive…' });
  await archiveFlagButton.waitFor();
  expect(await archiveFlagButton.getAttribute('aria-disabled')).toBe('true');
  await archiveFlagButton.focus();
  await page.getByText('Requires the permission "Delete flag"').waitFor();
  await closeTooltip(page);
  await expectAccessible(page);
});

testAsAdmin('selects show the IDs of projects that have the same name', async ({ page, api }) => {
  const name = `Search ${unique()}`;
  const project = await createProject(api, { name });
  await createProject(api, { name });
  const label = `${name} (${project})`;
  const person = await createPerson(api, { name: `Pat ${unique()}` });
  const group = await api.send<{ id: number }>('POST', '/api/admin/groups', { name: `Team ${unique()}` });

  await visit(page, '/admin/segments/new');
  await page
    .getByLabel('Project', { exact: true })
    .getByRole('option', { name: label })
    .waitFor({ state: 'attached' });
  await visit(page, '/admin/tokens/new');
  await page.getByRole('combobox', { name: 'Projects' }).fill(name);
  await page.getByRole('option', { name: label }).waitFor();
  for (const holder of [`/admin/users?user=${person.id}`, `/admin/groups/${group.id}`]) {
    await visit(page, holder);
    await page.getByRole('combobox', { name: 'Grant a role in a project' }).fill(name);
    await page.getByRole('option', { name: label }).waitFor();
  }
  await visit(page, '/events');
  await page.getByRole('combobox', { name: 'Add a filter' }).fill(`project:${name}`);
  await page.getByRole('option', { name: label }).waitFor();
});
